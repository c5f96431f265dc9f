//===- OpHelpers.cpp - Shared by the interface methods of ops -------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

LogicalResult nlp::expectFirstGradientOnly(Operation *op,
                                           ValueRange resultGradients) {
  for (auto [index, gradient] : llvm::enumerate(resultGradients))
    if (index > 0 && gradient)
      return op->emitOpError("expected no gradient of result ")
             << index << ", a statistic, but the loss depends on it";
  return success();
}

ShardingRule nlp::getElementwiseRule(Operation *op) {
  ShardingRule rule;
  ShardingRule::ValueFactors dims;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults())))
    if (dims.empty())
      dims = rule.addFactors(getShape(value), FactorKind::Parallel);
  auto getDims = [&](Value value) {
    return getShape(value).empty() ? ShardingRule::ValueFactors() : dims;
  };
  rule.operands = llvm::map_to_vector(op->getOperands(), getDims);
  rule.results = llvm::map_to_vector(op->getResults(), getDims);
  return rule;
}
