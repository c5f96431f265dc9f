//===- AttentionAvx2.cpp - Flash attention for AVX2 -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with AVX2 and FMA; called where the CPU has both.
//
//===----------------------------------------------------------------------===//

#define NLPRT_VECTOR_LANES 8

#include "AttentionBackward.h"

const nlprt::AttentionKernels nlprt::kAvx2Attention = {forwardItem,
                                                       backwardItem};
