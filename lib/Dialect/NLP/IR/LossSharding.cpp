//===- LossSharding.cpp - Sharding rules of losses ------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

using ValueFactors = ShardingRule::ValueFactors;

ShardingRule CrossEntropyOp::getShardingRule() {
  ShardingRule rule;
  ValueFactors rows =
      rule.addFactors(getShape(getTargets()), FactorKind::Reduction);
  ValueFactors logits = rows;
  logits.push_back(
      {rule.addFactor(getShape(getLogits()).back(), FactorKind::Whole)});
  rule.operands = {logits, rows};
  rule.results = {{}, rows};
  return rule;
}

ShardingRule CrossEntropyGradOp::getShardingRule() {
  ShardingRule rule;
  ValueFactors rows =
      rule.addFactors(getShape(getTargets()), FactorKind::Parallel);
  ValueFactors logits = rows;
  logits.push_back(
      {rule.addFactor(getShape(getLogits()).back(), FactorKind::Whole)});
  rule.operands = {{}, logits, rows, rows};
  rule.results = {logits};
  return rule;
}
