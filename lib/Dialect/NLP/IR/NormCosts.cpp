//===- NormCosts.cpp - Costs and policies of normalizations ---------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

/// `PER_ELEMENT` flops for each element of the input and `PER_ROW` for each
/// row. Statistics stay f32.
#define NLP_NORM_COST(OpTy, PER_ELEMENT, PER_ROW)                              \
  int64_t OpTy::getFlops() {                                                   \
    return (PER_ELEMENT) * getNumElements(getInput()) +                        \
           (PER_ROW) * getNumRows(getInput());                                 \
  }                                                                            \
  PrecisionPolicy OpTy::getPrecisionPolicy() {                                 \
    return PrecisionPolicy::KeepF32;                                           \
  }

// Mean 1, variance 3, and subtract, scale, weight, bias.
NLP_NORM_COST(LayerNormOp, 8, 2 * functionFlops + 3)
// Normalize 2, weight 1, two averages 3, input gradient 4, two sums 3.
NLP_NORM_COST(LayerNormGradOp, 13, 2)
// Squares 2, scale and weight 2.
NLP_NORM_COST(RMSNormOp, 4, 2 * functionFlops + 2)
// Normalize 1, weight 1, average 2, input gradient 3, sum 2.
NLP_NORM_COST(RMSNormGradOp, 9, 1)
