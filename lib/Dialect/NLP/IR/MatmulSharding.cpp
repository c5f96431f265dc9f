//===- MatmulSharding.cpp - Sharding rules of matrix products -------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

using ValueFactors = ShardingRule::ValueFactors;

/// A weight's dimensions in the order of its layout.
static ValueFactors getWeightDims(int in, int out, WeightLayout layout) {
  if (layout == WeightLayout::OutIn)
    return {{out}, {in}};
  return {{in}, {out}};
}

ShardingRule LinearOp::getShardingRule() {
  ArrayRef<int64_t> input = getShape(getInput());
  ShardingRule rule;
  ValueFactors leading =
      rule.addFactors(input.drop_back(), FactorKind::Parallel);
  // Parts of a sum that each added the bias would add it too often.
  int in = rule.addFactor(input.back(), getBias() ? FactorKind::Whole
                                                  : FactorKind::Reduction);
  int out = rule.addFactor(getShape(getResult()).back(), FactorKind::Parallel);
  ValueFactors inputDims = leading, resultDims = leading;
  inputDims.push_back({in});
  resultDims.push_back({out});
  rule.operands = {inputDims, getWeightDims(in, out, getLayout())};
  if (getBias())
    rule.operands.push_back({{out}});
  rule.results = {resultDims};
  return rule;
}

ShardingRule LinearWeightGradOp::getShardingRule() {
  ArrayRef<int64_t> input = getShape(getInput());
  ShardingRule rule;
  ValueFactors inputDims =
      rule.addFactors(input.drop_back(), FactorKind::Reduction);
  ValueFactors gradDims = inputDims;
  int in = rule.addFactor(input.back(), FactorKind::Parallel);
  int out =
      rule.addFactor(getShape(getResultGrad()).back(), FactorKind::Parallel);
  inputDims.push_back({in});
  gradDims.push_back({out});
  rule.operands = {inputDims, gradDims};
  rule.results = {getWeightDims(in, out, getLayout())};
  return rule;
}

ShardingRule EmbeddingOp::getShardingRule() {
  ShardingRule rule;
  // Ids count rows of the whole table.
  int rows = rule.addFactor(getShape(getTable())[0], FactorKind::Whole);
  int width = rule.addFactor(getShape(getTable())[1], FactorKind::Parallel);
  ValueFactors ids = rule.addFactors(getShape(getIds()), FactorKind::Parallel);
  ValueFactors result = ids;
  result.push_back({width});
  rule.operands = {{{rows}, {width}}, ids};
  rule.results = {result};
  return rule;
}

ShardingRule EmbeddingGradOp::getShardingRule() {
  ShardingRule rule;
  int rows = rule.addFactor(getShape(getResult())[0], FactorKind::Whole);
  int width = rule.addFactor(getShape(getResult())[1], FactorKind::Parallel);
  ValueFactors ids = rule.addFactors(getShape(getIds()), FactorKind::Reduction);
  ValueFactors grad = ids;
  grad.push_back({width});
  rule.operands = {grad, ids};
  rule.results = {{{rows}, {width}}};
  return rule;
}
