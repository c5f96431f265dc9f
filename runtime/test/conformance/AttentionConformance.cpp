//===- AttentionConformance.cpp - Attention on every backend -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward pass is compared with softmax written out; gradients with the
// slope of that along a random direction (central differences in double), so
// that no formula of the backward pass is used to test itself.
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

using namespace nlprt::test;
using Values = std::vector<double>;

namespace {
struct Inputs {
  Values query, key, value;
};

struct Case {
  int64_t batch, queries, keys, heads, kvHeads, dim, mask, window;
  double dropout;
};

constexpr Case cases[] = {
    {1, 1, 1, 1, 1, 1, 0, 0, 0.0},     {2, 9, 9, 2, 2, 8, 1, 0, 0.0},
    {1, 70, 70, 4, 2, 16, 1, 0, 0.0},  {2, 33, 33, 3, 1, 20, 2, 5, 0.0},
    {1, 17, 29, 2, 1, 12, 0, 0, 0.0},  {2, 66, 66, 4, 2, 8, 1, 0, 0.2},
    {1, 40, 40, 2, 2, 64, 2, 100, 0.5}};
constexpr int64_t seed = 1234567890123, firstSequence = 3, site = 77;

nlprt_attention_params paramsOf(const Case &c, int64_t dtype) {
  return {c.batch,   c.queries, c.keys,
          c.heads,   c.kvHeads, c.dim,
          c.mask,    c.window,  1.0 / std::sqrt(double(c.dim)),
          c.dropout, site,      dtype};
}
} // namespace

/// What dropout multiplies probability (b, h, t, s) by.
static double keepFactor(const Case &c, int64_t b, int64_t h, int64_t t,
                         int64_t s) {
  if (c.dropout == 0)
    return 1;
  uint64_t index =
      (((firstSequence + b) * c.heads + h) * c.queries + t) * c.keys + s;
  bool dropped = nlprt_draw(nlprt_mix(seed, site), index) <
                 nlprt_drop_threshold(c.dropout);
  return dropped ? 0 : 1 / (1 - c.dropout);
}

/// out as query, and the log-sum-exp of each row.
static Values attend(const Case &c, const Inputs &in, Values *lse) {
  Values out(in.query.size(), 0.0), scores(c.keys);
  double scale = 1.0 / std::sqrt(double(c.dim));
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t t = 0; t < c.queries; ++t) {
        int64_t q = ((b * c.queries + t) * c.heads + h) * c.dim;
        int64_t kvHead = h * c.kvHeads / c.heads;
        auto rowOfKey = [&](int64_t s) {
          return ((b * c.keys + s) * c.kvHeads + kvHead) * c.dim;
        };
        int64_t begin =
            c.mask == 2 ? std::max<int64_t>(0, t - c.window + 1) : 0;
        int64_t end = c.mask == 0 ? c.keys : t + 1;
        double sum = 0;
        for (int64_t s = begin; s < end; ++s) {
          double dot = 0;
          for (int64_t i = 0; i < c.dim; ++i)
            dot += in.query[q + i] * in.key[rowOfKey(s) + i];
          sum += scores[s] = std::exp(scale * dot); // small: no overflow
        }
        if (lse)
          (*lse)[(b * c.heads + h) * c.queries + t] = std::log(sum);
        for (int64_t s = begin; s < end; ++s)
          for (int64_t i = 0; i < c.dim; ++i)
            out[q + i] += scores[s] / sum * keepFactor(c, b, h, t, s) *
                          in.value[rowOfKey(s) + i];
      }
  return out;
}

TEST_P(ConformanceTest, Attention) {
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16})
    for (const Case &c : cases) {
      SCOPED_TRACE(testing::Message()
                   << "case " << &c - cases << " dtype " << dtype);
      nlprt_attention_params params = paramsOf(c, dtype);
      int64_t kv = c.batch * c.keys * c.kvHeads * c.dim;
      int64_t size = c.batch * c.queries * c.heads * c.dim;
      Array query = randomArray(size, dtype, 1),
            key = randomArray(kv, dtype, 2), value = randomArray(kv, dtype, 3),
            out(size, dtype), lse(c.batch * c.heads * c.queries, NLPRT_F32);
      int64_t seedValue = seed, first = firstSequence;
      bool drops = c.dropout > 0;
      Array space = workspace(backend.attention_workspace, params);
      void *const buffers[] = {query.data(),
                               key.data(),
                               value.data(),
                               drops ? &seedValue : nullptr,
                               drops ? &first : nullptr,
                               out.data(),
                               lse.data(),
                               space.data()};
      ASSERT_EQ(backend.attention(context.get(), nullptr, &params, buffers),
                NLPRT_OK);
      Values wantedLse(lse.size());
      Values wanted =
          attend(c, {query.values(), key.values(), value.values()}, &wantedLse);
      EXPECT_LT(relativeError(out.values(), wanted),
                nlprt::test::tolerance(dtype));
      for (int64_t i = 0; i < lse.size(); ++i)
        ASSERT_NEAR(lse[i], wantedLse[i], dtype == NLPRT_F32 ? 5e-6 : 2e-2);
    }
}

TEST_P(ConformanceTest, AttentionGrad) {
  for (const Case &c : cases) {
    SCOPED_TRACE(testing::Message() << "case " << &c - cases);
    nlprt_attention_params forward = paramsOf(c, NLPRT_F32);
    nlprt_attention_grad_params params;
    static_assert(sizeof(params) == sizeof(forward));
    std::memcpy(&params, &forward, sizeof(params));
    int64_t kv = c.batch * c.keys * c.kvHeads * c.dim;
    int64_t size = c.batch * c.queries * c.heads * c.dim;
    auto random = [](int64_t count, uint64_t seed) {
      return randomArray(count, NLPRT_F32, seed);
    };
    Array query = random(size, 1), key = random(kv, 2), value = random(kv, 3),
          outGrad = random(size, 4), out(size, NLPRT_F32),
          lse(c.batch * c.heads * c.queries, NLPRT_F32), dq(size, NLPRT_F32),
          dk(kv, NLPRT_F32), dv(kv, NLPRT_F32);
    Inputs in = {query.values(), key.values(), value.values()};
    Values lseValues(lse.size()), outValues = attend(c, in, &lseValues);
    for (int64_t i = 0; i < size; ++i)
      out.set(i, outValues[i]);
    for (int64_t i = 0; i < lse.size(); ++i)
      lse.set(i, lseValues[i]);
    int64_t seedValue = seed, first = firstSequence;
    bool drops = c.dropout > 0;
    Array space = workspace(backend.attention_grad_workspace, params);
    void *const buffers[] = {outGrad.data(),
                             query.data(),
                             key.data(),
                             value.data(),
                             out.data(),
                             lse.data(),
                             drops ? &seedValue : nullptr,
                             drops ? &first : nullptr,
                             dq.data(),
                             dk.data(),
                             dv.data(),
                             space.data()};
    ASSERT_EQ(backend.attention_grad(context.get(), nullptr, &params, buffers),
              NLPRT_OK);

    // One direction for each input, and its slope both ways.
    Values grads = outGrad.values();
    Values *moved[] = {&in.query, &in.key, &in.value};
    Array *got[] = {&dq, &dk, &dv};
    for (int which = 0; which < 3; ++which) {
      Values &input = *moved[which], before = input;
      Values direction = random(before.size(), 10 + which).values();
      auto lossAt = [&](double distance) {
        for (size_t i = 0; i < before.size(); ++i)
          input[i] = before[i] + distance * direction[i];
        Values result = attend(c, in, nullptr);
        double loss = 0;
        for (size_t i = 0; i < result.size(); ++i)
          loss += grads[i] * result[i];
        return loss;
      };
      double slope = (lossAt(1e-4) - lossAt(-1e-4)) / 2e-4;
      input = before;
      double product = 0, norm = 0;
      for (size_t i = 0; i < before.size(); ++i) {
        product += (*got[which])[i] * direction[i];
        norm += (*got[which])[i] * (*got[which])[i];
      }
      EXPECT_NEAR(product, slope, 1e-5 * (1 + std::sqrt(norm)))
          << "input " << which;
    }
  }
}

TEST_P(ConformanceTest, AttentionRefuses) {
  Array small = randomArray(64, NLPRT_F32, 1), space(1 << 16, NLPRT_I8);
  void *const buffers[] = {small.data(), small.data(), small.data(),
                           nullptr,      nullptr,      small.data(),
                           small.data(), space.data()};
  auto status = [&](auto change) {
    nlprt_attention_params params = {1, 2, 2, 2,   1,    4,
                                     1, 0, 1, 0.0, site, NLPRT_F32};
    change(params);
    return backend.attention(context.get(), nullptr, &params, buffers);
  };
  EXPECT_EQ(status([](auto &p) { p.queries = 0; }), NLPRT_INVALID);
  EXPECT_EQ(status([](auto &p) { p.heads = 3, p.kv_heads = 2; }),
            NLPRT_INVALID);
  EXPECT_EQ(status([](auto &p) { p.mask = 7; }), NLPRT_INVALID);
  EXPECT_EQ(status([](auto &p) { p.mask = 2; }), NLPRT_INVALID); // no window
  EXPECT_EQ(status([](auto &p) { p.keys = 3; }), NLPRT_INVALID); // causal
  EXPECT_EQ(status([](auto &p) { p.dropout = 1.0; }), NLPRT_INVALID);
  EXPECT_EQ(status([](auto &p) { p.dtype = NLPRT_F64; }), NLPRT_UNSUPPORTED);
}
