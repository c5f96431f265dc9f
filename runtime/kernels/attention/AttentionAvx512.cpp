//===- AttentionAvx512.cpp - Flash attention for AVX-512 --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled with AVX-512 F, BW, DQ and VL; called where the CPU has all four.
//
//===----------------------------------------------------------------------===//

#define NLPRT_VECTOR_LANES 16

#include "AttentionBackward.h"

const nlprt::AttentionKernels nlprt::kAvx512Attention = {forwardItem,
                                                         backwardItem};
