//===- AttentionSharding.cpp - Sharding rules of attention and rope -------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Query heads are two factors, key heads and queries for each of them, so that
// a split over key heads splits both alike. Where the op counts positions or
// numbers its draws by head, those dimensions can only be had whole.
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

using ValueFactors = ShardingRule::ValueFactors;

ShardingRule RopeOp::getShardingRule() {
  ShardingRule rule = getElementwiseRule(*this); // [b, t, h, d]
  rule.kinds[1] = FactorKind::Whole;
  rule.kinds[3] = FactorKind::Whole;
  return rule;
}

namespace {
/// The factors that an attention op and its gradient share.
struct AttentionFactors {
  ShardingRule rule;
  ValueFactors query, key, rows;

  /// `sumKind` is the kind of a dimension that the keys' gradients sum over.
  template <typename OpTy> AttentionFactors(OpTy op, FactorKind sumKind) {
    ArrayRef<int64_t> q = getShape(op.getQuery()); // [b, t, hq, d]
    ArrayRef<int64_t> k = getShape(op.getKey());   // [b, s, hkv, d]
    bool draws = !op.getDropout().isZero();
    bool countsPositions = op.getMask() != MaskKind::Bidirectional || draws;
    FactorKind headKind = draws ? FactorKind::Whole : FactorKind::Parallel;
    int batch = rule.addFactor(q[0], FactorKind::Parallel);
    int queries =
        rule.addFactor(q[1], countsPositions ? FactorKind::Whole : sumKind);
    int keys = rule.addFactor(k[1], FactorKind::Whole);
    int heads = rule.addFactor(k[2], headKind);
    int group =
        rule.addFactor(q[2] / k[2], draws ? FactorKind::Whole : sumKind);
    int features = rule.addFactor(q[3], FactorKind::Whole);
    query = {{batch}, {queries}, {heads, group}, {features}};
    key = {{batch}, {keys}, {heads}, {features}};
    rows = {{batch}, {heads, group}, {queries}};
  }
};
} // namespace

ShardingRule AttentionOp::getShardingRule() {
  AttentionFactors factors(*this, FactorKind::Parallel);
  ShardingRule rule = factors.rule;
  rule.operands = {factors.query, factors.key, factors.key};
  rule.operands.resize(getOperation()->getNumOperands()); // seeds are scalars
  rule.results = {factors.query, factors.rows};
  return rule;
}

ShardingRule AttentionGradOp::getShardingRule() {
  AttentionFactors factors(*this, FactorKind::Reduction);
  ShardingRule rule = factors.rule;
  rule.operands = {factors.query, factors.query, factors.key,
                   factors.key,   factors.query, factors.rows};
  rule.operands.resize(getOperation()->getNumOperands()); // seeds are scalars
  rule.results = {factors.query, factors.key, factors.key};
  return rule;
}
