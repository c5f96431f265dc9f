//===- AttentionReference.cpp - Softmax attention by definition -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Query by query, with all probabilities of a query in memory.
//
//===----------------------------------------------------------------------===//

#include "../common/Reference.h"
#include "nlprt/counter_random.h"

#include <cmath>
#include <vector>

using namespace nlprt;

namespace {

/// Indices, masks and draws, the same for both directions.
struct Layout {
  const nlprt_attention_params &params;
  uint64_t key = 0, firstSequence = 0, threshold = 0;

  Layout(const nlprt_attention_params &params, const void *seed,
         const void *firstSequence)
      : params(params) {
    if (params.dropout == 0.0)
      return;
    key = nlprt_mix(*static_cast<const uint64_t *>(seed),
                    static_cast<uint64_t>(params.site));
    this->firstSequence = *static_cast<const uint64_t *>(firstSequence);
    threshold = nlprt_drop_threshold(params.dropout);
  }

  int64_t query(int64_t b, int64_t h, int64_t t) const {
    return ((b * params.queries + t) * params.heads + h) * params.dim;
  }
  int64_t keyOf(int64_t b, int64_t h, int64_t s) const {
    int64_t kvHead = h / (params.heads / params.kv_heads);
    return ((b * params.keys + s) * params.kv_heads + kvHead) * params.dim;
  }
  int64_t row(int64_t b, int64_t h, int64_t t) const {
    return (b * params.heads + h) * params.queries + t;
  }
  bool admits(int64_t t, int64_t s) const {
    if (params.mask == 0)
      return true;
    return s <= t && (params.mask == 1 || s > t - params.window);
  }
  /// What dropout multiplies a probability by.
  double keep(int64_t b, int64_t h, int64_t t, int64_t s) const {
    if (params.dropout == 0.0)
      return 1.0;
    uint64_t index =
        (((firstSequence + b) * params.heads + h) * params.queries + t) *
            params.keys +
        s;
    return nlprt_draw(key, index) < threshold ? 0.0
                                              : 1.0 / (1.0 - params.dropout);
  }
  double dot(const Elements &a, int64_t i, const Elements &b, int64_t j) const {
    double sum = 0.0;
    for (int64_t c = 0; c < params.dim; ++c)
      sum += a[i + c] * b[j + c];
    return sum;
  }
  template <typename Run> void forEachQuery(Run run) const {
    for (int64_t b = 0; b < params.batch; ++b)
      for (int64_t h = 0; h < params.heads; ++h)
        for (int64_t t = 0; t < params.queries; ++t)
          run(b, h, t);
  }
};

} // namespace

void nlprt::attentionReference(const nlprt_attention_params &params,
                               void *const *buffers) {
  Elements query(buffers[0], params.dtype), key(buffers[1], params.dtype);
  Elements value(buffers[2], params.dtype), out(buffers[5], params.dtype);
  Elements lse(buffers[6], NLPRT_F32);
  Layout layout(params, buffers[3], buffers[4]);
  std::vector<double> score(params.keys);
  layout.forEachQuery([&](int64_t b, int64_t h, int64_t t) {
    double most = -INFINITY, sum = 0.0;
    for (int64_t s = 0; s < params.keys; ++s)
      if (layout.admits(t, s)) {
        score[s] = params.scale * layout.dot(query, layout.query(b, h, t), key,
                                             layout.keyOf(b, h, s));
        most = std::max(most, score[s]);
      }
    for (int64_t s = 0; s < params.keys; ++s)
      if (layout.admits(t, s))
        sum += std::exp(score[s] - most);
    double logSum = most + std::log(sum);
    lse.set(layout.row(b, h, t), logSum);
    std::vector<double> result(params.dim, 0.0);
    for (int64_t s = 0; s < params.keys; ++s)
      if (layout.admits(t, s)) {
        double p = std::exp(score[s] - logSum) * layout.keep(b, h, t, s);
        for (int64_t c = 0; c < params.dim; ++c)
          result[c] += p * value[layout.keyOf(b, h, s) + c];
      }
    for (int64_t c = 0; c < params.dim; ++c)
      out.set(layout.query(b, h, t) + c, result[c]);
  });
}

void nlprt::attentionGradReference(const nlprt_attention_grad_params &grad,
                                   void *const *buffers) {
  nlprt_attention_params params = {grad.batch,   grad.queries,  grad.keys,
                                   grad.heads,   grad.kv_heads, grad.dim,
                                   grad.mask,    grad.window,   grad.scale,
                                   grad.dropout, grad.site,     grad.dtype};
  int64_t type = params.dtype;
  Elements outGrad(buffers[0], type), query(buffers[1], type);
  Elements key(buffers[2], type), value(buffers[3], type);
  Elements out(buffers[4], type), lse(buffers[5], NLPRT_F32);
  Elements queryGrad(buffers[8], type), keyGrad(buffers[9], type);
  Elements valueGrad(buffers[10], type);
  Layout layout(params, buffers[6], buffers[7]);
  int64_t dim = params.dim;
  int64_t kvSize = params.batch * params.keys * params.kv_heads * dim;
  std::vector<double> dk(kvSize, 0.0), dv(kvSize, 0.0);
  layout.forEachQuery([&](int64_t b, int64_t h, int64_t t) {
    int64_t q = layout.query(b, h, t);
    double delta = layout.dot(outGrad, q, out, q);
    std::vector<double> dq(dim, 0.0);
    for (int64_t s = 0; s < params.keys; ++s) {
      if (!layout.admits(t, s))
        continue;
      int64_t k = layout.keyOf(b, h, s);
      double p = std::exp(params.scale * layout.dot(query, q, key, k) -
                          lse[layout.row(b, h, t)]);
      double keep = layout.keep(b, h, t, s);
      double ds = p * (keep * layout.dot(outGrad, q, value, k) - delta);
      for (int64_t c = 0; c < dim; ++c) {
        dv[k + c] += p * keep * outGrad[q + c];
        dq[c] += params.scale * ds * key[k + c];
        dk[k + c] += params.scale * ds * query[q + c];
      }
    }
    for (int64_t c = 0; c < dim; ++c)
      queryGrad.set(q + c, dq[c]);
  });
  for (int64_t i = 0; i < kvSize; ++i) {
    keyGrad.set(i, dk[i]);
    valueGrad.set(i, dv[i]);
  }
}
