//===- OptimizerSharding.cpp - Sharding rules of updates ------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

/// Every dimension of every value is a factor of its own, had whole.
static ShardingRule getWholeRule(Operation *op) {
  ShardingRule rule;
  auto getDims = [&](Value value) {
    return rule.addFactors(getShape(value), FactorKind::Whole);
  };
  rule.operands = llvm::map_to_vector<4>(op->getOperands(), getDims);
  rule.results = llvm::map_to_vector<4>(op->getResults(), getDims);
  return rule;
}

// Blocks of squares are blocks of the whole tensor.
ShardingRule SquareSumOp::getShardingRule() { return getWholeRule(*this); }
ShardingRule ClipFactorOp::getShardingRule() { return getWholeRule(*this); }
ShardingRule AdamWOp::getShardingRule() { return getElementwiseRule(*this); }
ShardingRule SGDOp::getShardingRule() { return getElementwiseRule(*this); }
