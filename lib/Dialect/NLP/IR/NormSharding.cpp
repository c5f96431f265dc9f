//===- NormSharding.cpp - Sharding rules of normalizations ----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

using ValueFactors = ShardingRule::ValueFactors;

/// A value's dimensions: all of `input`'s, its rows only, or its last only.
enum class Part { All, Rows, Width };

/// Rows of `kind`, statistics over the whole width.
static ShardingRule getNormRule(Value input, FactorKind kind,
                                ArrayRef<Part> operands,
                                ArrayRef<Part> results) {
  ShardingRule rule;
  ArrayRef<int64_t> shape = getShape(input);
  ValueFactors rows = rule.addFactors(shape.drop_back(), kind);
  ValueFactors width = {{rule.addFactor(shape.back(), FactorKind::Whole)}};
  ValueFactors all = rows;
  llvm::append_range(all, width);
  auto getDims = [&](Part part) {
    return part == Part::All ? all : part == Part::Rows ? rows : width;
  };
  rule.operands = llvm::map_to_vector<4>(operands, getDims);
  rule.results = llvm::map_to_vector<4>(results, getDims);
  return rule;
}

ShardingRule LayerNormOp::getShardingRule() {
  return getNormRule(getInput(), FactorKind::Parallel,
                     {Part::All, Part::Width, Part::Width},
                     {Part::All, Part::Rows, Part::Rows});
}
ShardingRule LayerNormGradOp::getShardingRule() {
  return getNormRule(
      getInput(), FactorKind::Reduction,
      {Part::All, Part::All, Part::Width, Part::Rows, Part::Rows},
      {Part::All, Part::Width, Part::Width});
}
ShardingRule RMSNormOp::getShardingRule() {
  return getNormRule(getInput(), FactorKind::Parallel, {Part::All, Part::Width},
                     {Part::All, Part::Rows});
}
ShardingRule RMSNormGradOp::getShardingRule() {
  return getNormRule(getInput(), FactorKind::Reduction,
                     {Part::All, Part::All, Part::Width, Part::Rows},
                     {Part::All, Part::Width});
}
