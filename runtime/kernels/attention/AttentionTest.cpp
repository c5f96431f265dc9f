//===- AttentionTest.cpp - Attention against the reference ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward and backward on small and odd shapes, all masks, grouped heads and
// dropout.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "../test/Testing.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace nlprt;

namespace {

constexpr int kMaxThreads = 3;
enum Mask { kBidirectional, kCausal, kSlidingWindow };

struct Shape {
  int64_t batch, queries, heads, kvHeads, dim;
  int64_t mask = kCausal, window = 0;
  double dropout = 0.0;
  int64_t dtype = NLPRT_F32;
  int64_t keys = 0; // 0: as many as queries
};

nlprt_attention_params makeParams(const Shape &shape) {
  return {shape.batch,
          shape.queries,
          shape.keys ? shape.keys : shape.queries,
          shape.heads,
          shape.kvHeads,
          shape.dim,
          shape.mask,
          shape.window,
          /*scale=*/2.0 / std::sqrt(static_cast<double>(shape.dim)),
          shape.dropout,
          /*site=*/12345,
          shape.dtype};
}

nlprt_attention_grad_params gradParams(const nlprt_attention_params &params) {
  nlprt_attention_grad_params grad;
  static_assert(sizeof(grad) == sizeof(params));
  std::memcpy(&grad, &params, sizeof(grad));
  return grad;
}

Buffer scalar(int64_t value) {
  Buffer buffer(sizeof(value));
  std::memcpy(buffer.data(), &value, sizeof(value));
  return buffer;
}

std::vector<Buffer> forwardBuffers(const nlprt_attention_params &p) {
  int64_t querySize = p.batch * p.queries * p.heads * p.dim;
  int64_t keySize = p.batch * p.keys * p.kv_heads * p.dim;
  std::vector<Buffer> buffers;
  buffers.push_back(randomBuffer(querySize, p.dtype, /*seed=*/1, 2.0));
  buffers.push_back(randomBuffer(keySize, p.dtype, /*seed=*/2, 2.0));
  buffers.push_back(randomBuffer(keySize, p.dtype, /*seed=*/3));
  buffers.push_back(scalar(42));
  buffers.push_back(scalar(3));
  buffers.push_back(emptyBuffer(querySize, p.dtype));
  buffers.push_back(emptyBuffer(p.batch * p.heads * p.queries, NLPRT_F32));
  buffers.push_back(Buffer(nlprt_attention_workspace(&p, kMaxThreads)));
  return buffers;
}

/// `forward` after a forward run.
std::vector<Buffer> backwardBuffers(const nlprt_attention_params &p,
                                    const std::vector<Buffer> &forward) {
  nlprt_attention_grad_params grad = gradParams(p);
  int64_t querySize = p.batch * p.queries * p.heads * p.dim;
  int64_t keySize = p.batch * p.keys * p.kv_heads * p.dim;
  std::vector<Buffer> buffers;
  buffers.push_back(randomBuffer(querySize, p.dtype, /*seed=*/4));
  for (int input : {0, 1, 2, 5, 6, 3, 4})
    buffers.push_back(copyOf(forward[input]));
  buffers.push_back(emptyBuffer(querySize, p.dtype));
  buffers.push_back(emptyBuffer(keySize, p.dtype));
  buffers.push_back(emptyBuffer(keySize, p.dtype));
  buffers.push_back(Buffer(nlprt_attention_grad_workspace(&grad, kMaxThreads)));
  return buffers;
}

void expectClose(const std::vector<Buffer> &actual,
                 const std::vector<Buffer> &expected, int index, int64_t dtype,
                 double f32Bound) {
  // Where a query has one key only, gradients of scores cancel to nothing.
  EXPECT_LT(relativeError(actual[index], expected[index], dtype, /*least=*/0.1),
            dtype == NLPRT_F32 ? f32Bound : 6e-3)
      << "buffer " << index;
}

/// With each instruction set that this machine has, and 1, 2 and 3 threads,
/// which must give equal bytes.
void check(const Shape &shape) {
  nlprt_attention_params params = makeParams(shape);
  nlprt_attention_grad_params grad = gradParams(params);
  SCOPED_TRACE(testing::Message()
               << shape.batch << "x" << shape.queries << " keys " << params.keys
               << " heads " << shape.heads << "/" << shape.kvHeads << " dim "
               << shape.dim << " mask " << shape.mask << " window "
               << shape.window << " dropout " << shape.dropout << " dtype "
               << shape.dtype);
  std::vector<Buffer> expected = forwardBuffers(params);
  attentionReference(params, pointersTo(expected).data());
  std::vector<Buffer> expectedGrad = backwardBuffers(params, expected);
  attentionGradReference(grad, pointersTo(expectedGrad).data());

  for (int rank = 0; const AttentionKernels *kernels = usableAttention(rank);
       ++rank) {
    SCOPED_TRACE(testing::Message() << "instruction set " << rank);
    std::vector<Buffer> first, firstGrad;
    for (int threads = 1; threads <= kMaxThreads; ++threads) {
      nlprt_context context{threads};
      std::vector<Buffer> actual = forwardBuffers(params);
      ASSERT_EQ(attentionBy(*kernels, &context, nullptr, &params,
                            pointersTo(actual).data()),
                NLPRT_OK);
      std::vector<Buffer> actualGrad = backwardBuffers(params, expected);
      ASSERT_EQ(attentionGradBy(*kernels, &context, nullptr, &grad,
                                pointersTo(actualGrad).data()),
                NLPRT_OK);
      if (threads == 1) {
        expectClose(actual, expected, 5, shape.dtype, 1e-6);
        expectClose(actual, expected, 6, NLPRT_F32, 1e-6);
        for (int result : {8, 9, 10})
          expectClose(actualGrad, expectedGrad, result, shape.dtype, 3e-6);
        first = std::move(actual);
        firstGrad = std::move(actualGrad);
        continue;
      }
      for (int result : {5, 6})
        EXPECT_TRUE(actual[result] == first[result]) << threads << " threads";
      for (int result : {8, 9, 10})
        EXPECT_TRUE(actualGrad[result] == firstGrad[result])
            << threads << " threads";
    }
  }
}

} // namespace

TEST(Attention, Lengths) {
  for (int64_t length : {1, 2, 7, 16, 63, 64, 65, 100, 128, 200})
    for (int64_t mask : {kBidirectional, kCausal})
      check({2, length, 2, 2, 16, mask});
}

TEST(Attention, HeadDims) {
  for (int64_t dim : {1, 3, 8, 12, 24, 64, 80, 96, 128, 200, 256})
    check({1, 70, 2, 2, dim});
}

TEST(Attention, SlidingWindows) {
  for (int64_t window : {1, 2, 17, 64, 65, 100, 1000})
    for (int64_t length : {5, 64, 150, 260})
      check({1, length, 2, 2, 16, kSlidingWindow, window});
}

TEST(Attention, GroupedHeads) {
  for (int64_t kvHeads : {1, 2, 3, 6})
    for (int64_t batch : {1, 9})
      check({batch, 70, 6, kvHeads, 20});
}

TEST(Attention, OtherKeys) {
  check({2, 30, 2, 2, 16, kBidirectional, 0, 0.0, NLPRT_F32, /*keys=*/100});
  check({2, 100, 2, 1, 16, kBidirectional, 0, 0.25, NLPRT_F32, /*keys=*/7});
}

// Lengths that are no multiple of four start rows in the middle of a block of
// draws.
TEST(Attention, Dropout) {
  for (int64_t length : {1, 6, 64, 101, 130})
    for (int64_t mask : {kBidirectional, kCausal, kSlidingWindow})
      check({2, length, 3, 3, 16, mask, mask == kSlidingWindow ? 20 : 0, 0.3});
}

TEST(Attention, Bf16) {
  check({2, 100, 4, 2, 64, kCausal, 0, 0.0, NLPRT_BF16});
  check({8, 70, 2, 2, 12, kBidirectional, 0, 0.0, NLPRT_BF16});
  check({1, 70, 2, 1, 12, kSlidingWindow, 30, 0.1, NLPRT_BF16});
}

TEST(Attention, LargeScores) {
  nlprt_attention_params params = makeParams({1, 100, 2, 2, 16});
  params.scale = 300.0;
  std::vector<Buffer> expected = forwardBuffers(params);
  attentionReference(params, pointersTo(expected).data());
  std::vector<Buffer> actual = forwardBuffers(params);
  nlprt_context context;
  ASSERT_EQ(
      nlprt_attention(&context, nullptr, &params, pointersTo(actual).data()),
      NLPRT_OK);
  // Scores near 10^4 carry errors of 10^-3, which the exponential passes on.
  expectClose(actual, expected, 5, NLPRT_F32, 1e-2);
  expectClose(actual, expected, 6, NLPRT_F32, 1e-6);
}

TEST(Attention, RefusesBadCalls) {
  nlprt_context context;
  nlprt_attention_params good = makeParams({1, 8, 4, 2, 16}), params = good;
  std::vector<Buffer> buffers = forwardBuffers(good);
  std::vector<void *> pointers = pointersTo(buffers);
  auto run = [&] {
    return nlprt_attention(&context, nullptr, &params, pointers.data());
  };
  EXPECT_EQ(run(), NLPRT_OK);
  EXPECT_EQ(nlprt_attention(nullptr, nullptr, &params, pointers.data()),
            NLPRT_INVALID)
      << "no context";
  auto expectInvalid = [&](auto field, auto value) {
    params = good;
    params.*field = value;
    EXPECT_EQ(run(), NLPRT_INVALID);
    EXPECT_EQ(nlprt_attention_workspace(&params, 1), -1);
    nlprt_attention_grad_params grad = gradParams(params);
    EXPECT_EQ(nlprt_attention_grad_workspace(&grad, 1), -1);
  };
  using Params = nlprt_attention_params;
  expectInvalid(&Params::batch, 0);
  expectInvalid(&Params::queries, -1);
  expectInvalid(&Params::keys, 9); // causal: as many keys as queries
  expectInvalid(&Params::kv_heads, 3);
  expectInvalid(&Params::dim, int64_t{1} << 60);
  expectInvalid(&Params::mask, 3);
  expectInvalid(&Params::window, 4); // no sliding window
  expectInvalid(&Params::dropout, 1.0);
  params = good;
  params.dim = 257;
  EXPECT_EQ(run(), NLPRT_UNSUPPORTED);
  params = good;
  params.dtype = NLPRT_F16;
  EXPECT_EQ(run(), NLPRT_UNSUPPORTED);
  params = good;
  params.dropout = 0.5;
  pointers[3] = nullptr;
  EXPECT_EQ(run(), NLPRT_INVALID) << "dropout without a seed";
  params = good;
  EXPECT_EQ(run(), NLPRT_OK);
  pointers[7] = nullptr;
  EXPECT_EQ(run(), NLPRT_INVALID) << "no workspace";
  EXPECT_EQ(nlprt_attention(&context, nullptr, nullptr, pointers.data()),
            NLPRT_INVALID);
  EXPECT_EQ(nlprt_attention_grad(&context, nullptr, nullptr, pointers.data()),
            NLPRT_INVALID);
}
