//===- AttentionCosts.cpp - Costs and policies of attention and rope ------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only pairs that the mask admits are counted; the softmax, a few flops for
// each pair beside 4 d for the products, is not.
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

int64_t RopeOp::getFlops() {
  // Two products and a sum for each element; angles are shared by all heads.
  return 3 * getNumElements(getInput());
}
PrecisionPolicy RopeOp::getPrecisionPolicy() {
  return PrecisionPolicy::FollowsInputs;
}

/// How many (query, key) pairs one head of one sequence admits.
static int64_t getNumPairs(MaskKind mask, int64_t queries, int64_t keys,
                           int64_t window) {
  switch (mask) {
  case MaskKind::Bidirectional:
    return multiplyCapped({queries, keys});
  case MaskKind::Causal:
    return multiplyCapped({queries, queries + 1}) / 2;
  case MaskKind::SlidingWindow: {
    int64_t width = std::min(window, queries);
    return multiplyCapped({width, 2 * queries - width + 1}) / 2;
  }
  }
  llvm_unreachable("unknown mask");
}

/// `2 d` flops for each of `products` matrix products over all admitted pairs.
template <typename OpTy> static int64_t getFlops(OpTy op, int64_t products) {
  ArrayRef<int64_t> query = getShape(op.getQuery()); // [b, t, hq, d]
  int64_t pairs = getNumPairs(op.getMask(), query[1], getShape(op.getKey())[1],
                              op.getWindow());
  return multiplyCapped({products, 2, query[3], pairs, query[0], query[2]});
}

/// Attention without dropout gives the same bits without a generator.
static RecomputeKind getKind(const APFloat &dropout) {
  return dropout.isZero() ? RecomputeKind::Pure : RecomputeKind::CounterRandom;
}

int64_t AttentionOp::getFlops() { return ::getFlops(*this, 2); }
bool AttentionOp::isMatrixWork() { return true; }
PrecisionPolicy AttentionOp::getPrecisionPolicy() {
  return PrecisionPolicy::Lowerable;
}
RecomputeKind AttentionOp::getRecomputeKind() { return getKind(getDropout()); }

void AttentionOp::buildEvaluation(OpBuilder &builder,
                                  SmallVectorImpl<Value> &values) {
  if (getDropout().isZero()) {
    llvm::append_range(values, getResults());
    return;
  }
  auto op =
      AttentionOp::create(builder, getLoc(), getQuery(), getKey(), getValue(),
                          Value(), Value(), getMaskAttr(), getWindowAttr(),
                          getScaleAttr(), FloatAttr(), StringAttr(), nullptr);
  llvm::append_range(values, op->getResults());
}

// Scores and result_grad value^T, and one product for each gradient.
int64_t AttentionGradOp::getFlops() { return ::getFlops(*this, 5); }
bool AttentionGradOp::isMatrixWork() { return true; }
PrecisionPolicy AttentionGradOp::getPrecisionPolicy() {
  return PrecisionPolicy::Lowerable;
}
RecomputeKind AttentionGradOp::getRecomputeKind() {
  return getKind(getDropout());
}
