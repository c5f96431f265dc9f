//===- EvaluateAttention.cpp - Attention and rotary positions ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scores are computed one query at a time; the gradient computes them again, as
// its equations do. Time: batch * heads * queries * keys * features.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include <cmath>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

static void evaluateRope(RopeOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  TensorValue &result = env.define(op.getResult());
  int64_t positions = input.shape[1], heads = input.shape[2];
  int64_t width = input.width(), half = width / 2;
  for (int64_t r = 0; r < input.rows(); ++r) {
    int64_t position = r / heads % positions;
    for (int64_t i = 0; i < half; ++i) {
      double angle = position * op.getFrequencies()[i];
      if (op.getInverse())
        angle = -angle;
      double x = input[r * width + i], y = input[r * width + half + i];
      result[r * width + i] = x * std::cos(angle) - y * std::sin(angle);
      result[r * width + half + i] = y * std::cos(angle) + x * std::sin(angle);
    }
  }
}

namespace {
/// What nlp.attention and its gradient share: sizes, places of elements, masks,
/// scores and dropout.
class Attention {
public:
  template <typename OpTy>
  Attention(OpTy op, Environment &env)
      : query(env[op.getQuery()]), key(env[op.getKey()]),
        value(env[op.getValue()]), batch(query.shape[0]),
        queries(query.shape[1]), heads(query.shape[2]), features(query.width()),
        keys(key.shape[1]), keyHeads(key.shape[2]),
        scale(op.getScale().convertToDouble()), mask(op.getMask()),
        window(op.getWindow()), rate(op.getDropout().convertToDouble()),
        dropper(rate > 0.0 ? env[op.getSeed()].integers[0] : 0, op.getSite(),
                rate),
        firstSequence(rate > 0.0 ? env[op.getFirstSequence()].integers[0] : 0) {
  }

  /// The first feature of a query and of a key that head `h` reads.
  int64_t queryAt(int64_t b, int64_t t, int64_t h) const {
    return ((b * queries + t) * heads + h) * features;
  }
  int64_t keyAt(int64_t b, int64_t s, int64_t h) const {
    int64_t keyHead = h / (heads / keyHeads);
    return ((b * keys + s) * keyHeads + keyHead) * features;
  }
  /// Where the log-sum-exp stands.
  int64_t rowAt(int64_t b, int64_t t, int64_t h) const {
    return (b * heads + h) * queries + t;
  }

  bool admits(int64_t t, int64_t s) const {
    switch (mask) {
    case MaskKind::Bidirectional:
      return true;
    case MaskKind::Causal:
      return s <= t;
    case MaskKind::SlidingWindow:
      return t - window < s && s <= t;
    }
    llvm_unreachable("all masks are above");
  }

  double score(int64_t b, int64_t t, int64_t s, int64_t h) const {
    double sum = 0.0;
    for (int64_t i = 0; i < features; ++i)
      sum += query[queryAt(b, t, h) + i] * key[keyAt(b, s, h) + i];
    return scale * sum;
  }

  /// What the probability of a score is multiplied by.
  double dropFactor(int64_t b, int64_t t, int64_t s, int64_t h) const {
    if (rate == 0.0)
      return 1.0;
    int64_t sequence = firstSequence + b;
    return dropper.factor(((sequence * heads + h) * queries + t) * keys + s);
  }

  /// Calls f(b, t, h) for all queries and heads.
  template <typename F> void forEachQuery(F f) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t t = 0; t < queries; ++t)
          f(b, t, h);
  }

  const TensorValue &query, &key, &value;
  int64_t batch, queries, heads, features, keys, keyHeads;
  double scale;

private:
  MaskKind mask;
  int64_t window;
  double rate;
  Dropper dropper;
  int64_t firstSequence;
};
} // namespace

static void evaluateAttention(AttentionOp op, Environment &env) {
  Attention a(op, env);
  TensorValue &result = env.define(op.getResult());
  TensorValue &lse = env.define(op.getLse());
  std::vector<double> scores(a.keys);
  a.forEachQuery([&](int64_t b, int64_t t, int64_t h) {
    double largest = -INFINITY, sum = 0.0;
    for (int64_t s = 0; s < a.keys; ++s) {
      scores[s] = a.admits(t, s) ? a.score(b, t, s, h) : -INFINITY;
      largest = std::max(largest, scores[s]);
    }
    for (double score : scores)
      sum += std::exp(score - largest);
    double logSum = largest + std::log(sum);
    lse[a.rowAt(b, t, h)] = logSum;
    for (int64_t s = 0; s < a.keys; ++s) {
      double p = std::exp(scores[s] - logSum) * a.dropFactor(b, t, s, h);
      for (int64_t i = 0; i < a.features; ++i)
        result[a.queryAt(b, t, h) + i] += p * a.value[a.keyAt(b, s, h) + i];
    }
  });
}

static void evaluateAttentionGrad(AttentionGradOp op, Environment &env) {
  Attention a(op, env);
  const TensorValue &resultGrad = env[op.getResultGrad()];
  const TensorValue &result = env[op.getResult()];
  const TensorValue &lse = env[op.getLse()];
  TensorValue &queryGrad = env.define(op.getQueryGrad());
  TensorValue &keyGrad = env.define(op.getKeyGrad());
  TensorValue &valueGrad = env.define(op.getValueGrad());
  a.forEachQuery([&](int64_t b, int64_t t, int64_t h) {
    int64_t row = a.queryAt(b, t, h);
    double delta = 0.0;
    for (int64_t i = 0; i < a.features; ++i)
      delta += resultGrad[row + i] * result[row + i];
    for (int64_t s = 0; s < a.keys; ++s) {
      if (!a.admits(t, s))
        continue;
      int64_t column = a.keyAt(b, s, h);
      double p = std::exp(a.score(b, t, s, h) - lse[a.rowAt(b, t, h)]);
      double drop = a.dropFactor(b, t, s, h), pGrad = 0.0;
      for (int64_t i = 0; i < a.features; ++i)
        pGrad += drop * resultGrad[row + i] * a.value[column + i];
      double scoreGrad = p * (pGrad - delta);
      for (int64_t i = 0; i < a.features; ++i) {
        valueGrad[column + i] += p * drop * resultGrad[row + i];
        queryGrad[row + i] += a.scale * scoreGrad * a.key[column + i];
        keyGrad[column + i] += a.scale * scoreGrad * a.query[row + i];
      }
    }
  });
}

FamilyResult nlp::ref::evaluateAttentionOp(Operation *op, Environment &env) {
  if (auto rope = dyn_cast<RopeOp>(op))
    evaluateRope(rope, env);
  else if (auto attention = dyn_cast<AttentionOp>(op))
    evaluateAttention(attention, env);
  else if (auto attention = dyn_cast<AttentionGradOp>(op))
    evaluateAttentionGrad(attention, env);
  else
    return std::nullopt;
  return success();
}
