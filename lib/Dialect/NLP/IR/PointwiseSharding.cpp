//===- PointwiseSharding.cpp - Sharding rules of pointwise ops ------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

#define NLP_ELEMENTWISE_RULE(OpTy)                                             \
  ShardingRule OpTy::getShardingRule() { return getElementwiseRule(*this); }

NLP_ELEMENTWISE_RULE(AddOp)
NLP_ELEMENTWISE_RULE(SubOp)
NLP_ELEMENTWISE_RULE(MulOp)
NLP_ELEMENTWISE_RULE(DivOp)
NLP_ELEMENTWISE_RULE(NegOp)
NLP_ELEMENTWISE_RULE(ExpOp)
NLP_ELEMENTWISE_RULE(LogOp)
NLP_ELEMENTWISE_RULE(SqrtOp)
NLP_ELEMENTWISE_RULE(TanhOp)
NLP_ELEMENTWISE_RULE(SigmoidOp)
NLP_ELEMENTWISE_RULE(ReluOp)
NLP_ELEMENTWISE_RULE(SiluOp)
NLP_ELEMENTWISE_RULE(ScaleOp)
NLP_ELEMENTWISE_RULE(GeluOp)
NLP_ELEMENTWISE_RULE(GeluGradOp)
NLP_ELEMENTWISE_RULE(SiluGradOp)
NLP_ELEMENTWISE_RULE(ReluGradOp)
NLP_ELEMENTWISE_RULE(TanhGradOp)
NLP_ELEMENTWISE_RULE(SigmoidGradOp)

ShardingRule DropoutOp::getShardingRule() {
  // Draws are numbered by sequence and by the element in it: a part of the
  // sequences is numbered right by `first_sequence`, a part of a sequence is
  // not.
  ShardingRule rule = getElementwiseRule(*this);
  for (size_t factor = 1; factor < rule.kinds.size(); ++factor)
    rule.kinds[factor] = FactorKind::Whole;
  return rule;
}
