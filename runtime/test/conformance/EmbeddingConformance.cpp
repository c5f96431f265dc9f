//===- EmbeddingConformance.cpp - Look-up on every backend -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backends.h"

using namespace nlprt::test;

/// Ids below `rows`; small ones are frequent, most rows of a large table have
/// none.
static std::vector<int32_t> makeIds(int64_t rows, int64_t count) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    double draw = nlprt_draw(9, i) * 0x1p-32;
    ids.push_back(static_cast<int32_t>(draw * draw * double(rows)));
  }
  return ids;
}

static constexpr int64_t lookupShapes[][3] = {
    {1, 1, 1}, {5, 3, 40}, {300, 96, 7}, {1000, 130, 333}};

TEST_P(ConformanceTest, Embedding) {
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16})
    for (auto [rows, width, count] : lookupShapes) {
      nlprt_embedding_params params = {rows, width, count, dtype};
      Array table = randomArray(rows * width, dtype, 1),
            out(count * width, dtype);
      std::vector<int32_t> ids = makeIds(rows, count);
      Array space = workspace(backend.embedding_workspace, params);
      void *const buffers[] = {table.data(), ids.data(), out.data(),
                               space.data()};
      ASSERT_EQ(backend.embedding(context.get(), nullptr, &params, buffers),
                NLPRT_OK);
      for (int64_t i = 0; i < count * width; ++i)
        ASSERT_EQ(out[i], table[ids[i / width] * width + i % width]);
    }
}

TEST_P(ConformanceTest, EmbeddingGrad) {
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16})
    for (auto [rows, width, count] : lookupShapes) {
      nlprt_embedding_grad_params params = {rows, width, count, dtype};
      Array grad = randomArray(count * width, dtype, 1),
            out(rows * width, dtype);
      std::vector<int32_t> ids = makeIds(rows, count);
      Array space = workspace(backend.embedding_grad_workspace, params);
      void *const buffers[] = {grad.data(), ids.data(), out.data(),
                               space.data()};
      ASSERT_EQ(
          backend.embedding_grad(context.get(), nullptr, &params, buffers),
          NLPRT_OK);
      std::vector<double> wanted(rows * width, 0.0);
      for (int64_t i = 0; i < count * width; ++i)
        wanted[ids[i / width] * width + i % width] += grad[i];
      EXPECT_LT(relativeError(out.values(), wanted),
                nlprt::test::tolerance(dtype));
    }
}

TEST_P(ConformanceTest, EmbeddingRefusesIdsOutsideTheTable) {
  nlprt_embedding_params params = {4, 2, 3, NLPRT_F32};
  nlprt_embedding_grad_params gradParams = {4, 2, 3, NLPRT_F32};
  Array table = randomArray(8, NLPRT_F32, 1), out(8, NLPRT_F32);
  Array space = workspace(backend.embedding_grad_workspace, gradParams);
  for (int32_t bad : {4, -1}) {
    int32_t ids[] = {0, bad, 3};
    void *const buffers[] = {table.data(), ids, out.data(), space.data()};
    EXPECT_EQ(backend.embedding(context.get(), nullptr, &params, buffers),
              NLPRT_INVALID);
    EXPECT_EQ(
        backend.embedding_grad(context.get(), nullptr, &gradParams, buffers),
        NLPRT_INVALID);
  }
}
