//===- PointwiseCosts.cpp - Costs and policies of pointwise ops -----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

/// `PER_ELEMENT` flops for each element of the result; the type follows the
/// inputs.
#define NLP_POINTWISE_COST(OpTy, PER_ELEMENT)                                  \
  int64_t OpTy::getFlops() {                                                   \
    return (PER_ELEMENT) * getResult().getType().getNumElements();             \
  }                                                                            \
  PrecisionPolicy OpTy::getPrecisionPolicy() {                                 \
    return PrecisionPolicy::FollowsInputs;                                     \
  }

NLP_POINTWISE_COST(AddOp, 1)
NLP_POINTWISE_COST(SubOp, 1)
NLP_POINTWISE_COST(MulOp, 1)
NLP_POINTWISE_COST(DivOp, functionFlops)
NLP_POINTWISE_COST(NegOp, 1)
NLP_POINTWISE_COST(ExpOp, functionFlops)
NLP_POINTWISE_COST(LogOp, functionFlops)
NLP_POINTWISE_COST(SqrtOp, functionFlops)
NLP_POINTWISE_COST(TanhOp, functionFlops)
NLP_POINTWISE_COST(SigmoidOp, 2 * functionFlops + 2)
NLP_POINTWISE_COST(ReluOp, 1)
NLP_POINTWISE_COST(SiluOp, 2 * functionFlops + 3)
NLP_POINTWISE_COST(ScaleOp, 1)
NLP_POINTWISE_COST(GeluOp, functionFlops + 8)
NLP_POINTWISE_COST(GeluGradOp, 2 * functionFlops + 12)
NLP_POINTWISE_COST(SiluGradOp, 2 * functionFlops + 7)
NLP_POINTWISE_COST(ReluGradOp, 1)
NLP_POINTWISE_COST(TanhGradOp, 3)
NLP_POINTWISE_COST(SigmoidGradOp, 3)
// Ten rounds of Philox give four draws; the rest is a comparison and a product.
NLP_POINTWISE_COST(DropoutOp, 2 * functionFlops)

RecomputeKind DropoutOp::getRecomputeKind() {
  return RecomputeKind::CounterRandom;
}

void DropoutOp::buildEvaluation(OpBuilder &builder,
                                SmallVectorImpl<Value> &values) {
  values.push_back(getInput());
}
