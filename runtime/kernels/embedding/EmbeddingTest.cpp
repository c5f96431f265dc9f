//===- EmbeddingTest.cpp - Table look-up against the reference --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../test/Testing.h"

#include "nlprt/counter_random.h"
#include <gtest/gtest.h>

using namespace nlprt;

namespace {

constexpr int kMaxThreads = 3;

/// Ids of which small ones are frequent, as in text.
Buffer makeIds(int64_t rows, int64_t count) {
  Buffer buffer(count * sizeof(int32_t));
  auto *ids = static_cast<int32_t *>(buffer.data());
  for (int64_t i = 0; i < count; ++i) {
    double draw = nlprt_draw(7, i) / 4294967296.0;
    ids[i] = static_cast<int32_t>(draw * draw * rows);
  }
  return buffer;
}

template <typename Params, typename Kernel, typename Reference>
void check(const Params &params, int64_t inputRows, int64_t outputRows,
           int64_t workspace, Kernel kernel, Reference reference) {
  SCOPED_TRACE(testing::Message()
               << params.rows << "x" << params.width << ", " << params.count
               << " ids, dtype " << params.dtype);
  auto makeBuffers = [&] {
    std::vector<Buffer> buffers;
    buffers.push_back(
        randomBuffer(inputRows * params.width, params.dtype, /*seed=*/1));
    buffers.push_back(makeIds(params.rows, params.count));
    buffers.push_back(emptyBuffer(outputRows * params.width, params.dtype));
    buffers.push_back(Buffer(workspace));
    return buffers;
  };
  std::vector<Buffer> expected = makeBuffers();
  reference(params, pointersTo(expected).data());
  Buffer first;
  for (int threads = 1; threads <= kMaxThreads; ++threads) {
    nlprt_context context{threads};
    std::vector<Buffer> actual = makeBuffers();
    ASSERT_EQ(kernel(&context, nullptr, &params, pointersTo(actual).data()),
              NLPRT_OK);
    EXPECT_LT(relativeError(actual[2], expected[2], params.dtype),
              params.dtype == NLPRT_F32 ? 1e-6 : 1e-3);
    if (threads == 1)
      first = std::move(actual[2]);
    else
      EXPECT_TRUE(actual[2] == first) << threads << " threads";
  }
}

} // namespace

TEST(Embedding, LooksUp) {
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16})
    for (int64_t width : {1, 12, 96, 200})
      for (int64_t count : {1, 63, 500}) {
        nlprt_embedding_params params = {300, width, count, dtype};
        check(params, params.rows, count, 0, nlprt_embedding,
              embeddingReference);
      }
}

TEST(Embedding, SumsGradients) {
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16})
    for (int64_t width : {1, 12, 96, 200})
      for (int64_t count : {1, 63, 1000}) {
        nlprt_embedding_grad_params params = {300, width, count, dtype};
        check(params, count, params.rows,
              nlprt_embedding_grad_workspace(&params, kMaxThreads),
              nlprt_embedding_grad, embeddingGradReference);
      }
}

TEST(Embedding, RefusesBadCalls) {
  nlprt_context context;
  nlprt_embedding_params params = {10, 4, 3, NLPRT_F32};
  std::vector<Buffer> buffers;
  buffers.push_back(randomBuffer(40, NLPRT_F32, /*seed=*/1));
  buffers.push_back(makeIds(10, 3));
  buffers.push_back(emptyBuffer(12, NLPRT_F32));
  std::vector<void *> pointers = pointersTo(buffers);
  auto run = [&] {
    return nlprt_embedding(&context, nullptr, &params, pointers.data());
  };
  EXPECT_EQ(run(), NLPRT_OK);
  EXPECT_EQ(nlprt_embedding(nullptr, nullptr, &params, pointers.data()),
            NLPRT_INVALID)
      << "no context";
  auto *ids = static_cast<int32_t *>(buffers[1].data());
  for (int32_t id : {-1, 10, INT32_MAX, INT32_MIN}) {
    ids[2] = id;
    EXPECT_EQ(run(), NLPRT_INVALID) << "id " << id;
  }
  ids[2] = 0;
  params.dtype = NLPRT_I32;
  EXPECT_EQ(run(), NLPRT_UNSUPPORTED);
  params.dtype = NLPRT_F32;
  params.width = 0;
  EXPECT_EQ(run(), NLPRT_INVALID);
}
