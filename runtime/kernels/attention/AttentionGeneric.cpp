//===- AttentionGeneric.cpp - Flash attention for any CPU -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of 128 bits, which every 64-bit machine has.
//
//===----------------------------------------------------------------------===//

#define NLPRT_VECTOR_LANES 4

#include "AttentionBackward.h"

const nlprt::AttentionKernels nlprt::kGenericAttention = {forwardItem,
                                                          backwardItem};
