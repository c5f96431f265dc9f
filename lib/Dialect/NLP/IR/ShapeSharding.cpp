//===- ShapeSharding.cpp - Sharding rules of shape ops --------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reshape is cut into groups of dimensions that cover the same elements. In a
// group, the dimensions of both sides are products of common factors where
// their strides divide each other, as when a dimension is split or some are
// merged; otherwise the group can only be had whole.
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

using ValueFactors = ShardingRule::ValueFactors;

/// For each of `shape` from its end up to `size` elements: the stride at which
/// the dimension begins. Appends to `strides`.
static void appendStrides(ArrayRef<int64_t> shape,
                          SmallVectorImpl<int64_t> &strides) {
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(shape))
    strides.push_back(stride *= size);
}

/// Adds the factors of one group: `from` and `to` have as many elements.
static void addGroup(ShardingRule &rule, ArrayRef<int64_t> from,
                     ArrayRef<int64_t> to) {
  SmallVector<int64_t> strides{1};
  appendStrides(from, strides);
  appendStrides(to, strides);
  llvm::sort(strides);
  strides.erase(llvm::unique(strides), strides.end());
  bool divides = strides.front() != 0;
  for (size_t i = 1; divides && i < strides.size(); ++i)
    divides = strides[i] % strides[i - 1] == 0;
  if (!divides) {
    llvm::append_range(rule.operands.front(),
                       rule.addFactors(from, FactorKind::Whole));
    llvm::append_range(rule.results.front(),
                       rule.addFactors(to, FactorKind::Whole));
    return;
  }
  // factors[i] spans strides[i] to strides[i + 1].
  SmallVector<int> factors;
  for (size_t i = 1; i < strides.size(); ++i)
    factors.push_back(
        rule.addFactor(strides[i] / strides[i - 1], FactorKind::Parallel));
  auto getDims = [&](ArrayRef<int64_t> shape) {
    ValueFactors dims(shape.size());
    int64_t stride = 1;
    size_t next = 0;
    for (size_t dim = shape.size(); dim-- > 0;) {
      stride *= shape[dim];
      for (; next < factors.size() && strides[next + 1] <= stride; ++next)
        dims[dim].insert(dims[dim].begin(), factors[next]);
    }
    return dims;
  };
  llvm::append_range(rule.operands.front(), getDims(from));
  llvm::append_range(rule.results.front(), getDims(to));
}

ShardingRule ReshapeOp::getShardingRule() {
  ArrayRef<int64_t> from = getShape(getInput()), to = getShape(getResult());
  ShardingRule rule;
  rule.operands.resize(1);
  rule.results.resize(1);
  while (!from.empty() || !to.empty()) {
    // The shortest prefixes with as many elements; the last takes the ones.
    size_t fromDims = 0, toDims = 0;
    int64_t fromSize = 1, toSize = 1;
    do {
      if (fromDims < from.size() && (fromSize <= toSize || toDims == to.size()))
        fromSize *= from[fromDims++];
      else
        toSize *= to[toDims++];
    } while (fromSize != toSize &&
             (fromDims < from.size() || toDims < to.size()));
    addGroup(rule, from.take_front(fromDims), to.take_front(toDims));
    from = from.drop_front(fromDims);
    to = to.drop_front(toDims);
  }
  return rule;
}

ShardingRule TransposeOp::getShardingRule() {
  ShardingRule rule;
  ValueFactors dims =
      rule.addFactors(getShape(getInput()), FactorKind::Parallel);
  rule.operands = {dims};
  rule.results.resize(1);
  for (int64_t from : getPermutation())
    rule.results.front().push_back(dims[from]);
  return rule;
}

/// All dimensions are parallel but `dim`, which every value has whole.
static ShardingRule getRuleAlong(Operation *op, int64_t dim) {
  ShardingRule rule;
  ValueFactors shared;
  auto getDims = [&](Value value) {
    ArrayRef<int64_t> shape = getShape(value);
    if (shared.empty())
      for (auto [index, size] : llvm::enumerate(shape)) {
        shared.emplace_back();
        if (static_cast<int64_t>(index) != dim)
          shared.back().push_back(rule.addFactor(size, FactorKind::Parallel));
      }
    ValueFactors dims = shared;
    dims[dim].push_back(rule.addFactor(shape[dim], FactorKind::Whole));
    return dims;
  };
  for (Value operand : op->getOperands())
    rule.operands.push_back(getDims(operand));
  for (Value result : op->getResults())
    rule.results.push_back(getDims(result));
  return rule;
}

ShardingRule SplitOp::getShardingRule() {
  return getRuleAlong(*this, getDim());
}
ShardingRule ConcatOp::getShardingRule() {
  return getRuleAlong(*this, getDim());
}
ShardingRule SliceOp::getShardingRule() {
  return getRuleAlong(*this, getDim());
}
ShardingRule PadOp::getShardingRule() { return getRuleAlong(*this, getDim()); }

ShardingRule BroadcastOp::getShardingRule() {
  ShardingRule rule;
  ValueFactors dims =
      rule.addFactors(getShape(getResult()), FactorKind::Parallel);
  size_t rank = getShape(getInput()).size();
  rule.operands = {ValueFactors(ArrayRef(dims).take_back(rank))};
  rule.results = {dims};
  return rule;
}

ShardingRule ReduceSumOp::getShardingRule() {
  ShardingRule rule;
  ArrayRef<int64_t> shape = getShape(getInput());
  ValueFactors dims =
      rule.addFactors(shape.take_front(getLeading()), FactorKind::Reduction);
  ValueFactors kept =
      rule.addFactors(shape.drop_front(getLeading()), FactorKind::Parallel);
  llvm::append_range(dims, kept);
  rule.operands = {dims};
  rule.results = {kept};
  return rule;
}

ShardingRule FillOp::getShardingRule() { return getElementwiseRule(*this); }
ShardingRule CastOp::getShardingRule() { return getElementwiseRule(*this); }
