//===- OptimizerCosts.cpp - Costs and policies of updates -----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

#define NLP_OPTIMIZER_COST(OpTy, FLOPS)                                        \
  int64_t OpTy::getFlops() { return FLOPS; }                                   \
  PrecisionPolicy OpTy::getPrecisionPolicy() {                                 \
    return PrecisionPolicy::KeepF32;                                           \
  }

/// One multiply-add for each of `values`, and the square root and division.
static int64_t getSumFlops(ValueRange values) {
  int64_t flops = 2 * functionFlops;
  for (Value value : values)
    flops += getNumElements(value);
  return flops;
}

NLP_OPTIMIZER_COST(SquareSumOp, 2 * getNumElements(getInput()))
NLP_OPTIMIZER_COST(ClipFactorOp, getSumFlops(getSquareSums()))
// Factor 1, moments 3 and 4, quotient with root 2 functions, decay and step 5.
NLP_OPTIMIZER_COST(AdamWOp,
                   (2 * functionFlops + 13) * getNumElements(getParameter()))
NLP_OPTIMIZER_COST(SGDOp, 7 * getNumElements(getParameter()))
