//===- MatmulTest.cpp - Matrix products against the reference ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../test/Testing.h"

#include <gtest/gtest.h>

using namespace nlprt;

namespace {

constexpr int kMaxThreads = 3;

nlprt_matmul_params makeParams(int64_t m, int64_t n, int64_t k,
                               int64_t dtype = NLPRT_F32) {
  nlprt_matmul_params params = {};
  params.batch = 1;
  params.m = m;
  params.n = n;
  params.k = k;
  params.dtype = dtype;
  return params;
}

std::vector<Buffer> makeBuffers(const nlprt_matmul_params &params) {
  std::vector<Buffer> buffers;
  int64_t type = params.dtype;
  buffers.push_back(
      randomBuffer(params.batch * params.m * params.k, type, /*seed=*/1));
  buffers.push_back(
      randomBuffer(params.batch * params.k * params.n, type, /*seed=*/2));
  buffers.push_back(params.has_bias ? randomBuffer(params.n, type, /*seed=*/3)
                                    : Buffer());
  int64_t outSize = params.batch * params.m * params.n;
  buffers.push_back(params.accumulate ? randomBuffer(outSize, type, /*seed=*/4)
                                      : emptyBuffer(outSize, type));
  buffers.push_back(Buffer(nlprt_matmul_workspace(&params, kMaxThreads)));
  return buffers;
}

/// Runs with 1, 2 and 3 threads: equal bytes, close to the reference.
void check(const nlprt_matmul_params &params) {
  SCOPED_TRACE(testing::Message()
               << params.batch << "x" << params.m << "x" << params.n << "x"
               << params.k << " trans " << params.trans_a << params.trans_b
               << " bias " << params.has_bias << " accumulate "
               << params.accumulate << " dtype " << params.dtype);
  if (nlprt_matmul_workspace(&params, kMaxThreads) < 0)
    GTEST_SKIP() << "no such product on this machine";
  std::vector<Buffer> expected = makeBuffers(params);
  matmulReference(params, pointersTo(expected).data());
  Buffer first;
  for (int threads = 1; threads <= kMaxThreads; ++threads) {
    nlprt_context context{threads};
    std::vector<Buffer> actual = makeBuffers(params);
    ASSERT_EQ(
        nlprt_matmul(&context, nullptr, &params, pointersTo(actual).data()),
        NLPRT_OK);
    // bf16 keeps 8 bits: half of the last one is 2^-9.
    EXPECT_LT(relativeError(actual[3], expected[3], params.dtype),
              params.dtype == NLPRT_F32 ? 1e-6 : 3e-3);
    if (threads == 1)
      first = std::move(actual[3]);
    else
      EXPECT_TRUE(actual[3] == first) << threads << " threads";
  }
}

} // namespace

TEST(Matmul, AllVariants) {
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16})
    for (int variant = 0; variant < 16; ++variant) {
      nlprt_matmul_params params = makeParams(70, 50, 33, dtype);
      params.batch = 1 + (variant & 1) * 2;
      params.trans_a = variant >> 1 & 1;
      params.trans_b = variant >> 2 & 1;
      params.has_bias = variant >> 3 & 1;
      check(params);
      params.accumulate = !params.has_bias;
      check(params);
    }
}

TEST(Matmul, Sizes) {
  for (int64_t size : {1, 2, 7, 16, 100, 129})
    for (int trans = 0; trans < 4; ++trans) {
      nlprt_matmul_params params = makeParams(size, 131 - size, 1 + size / 2);
      params.trans_a = trans & 1;
      params.trans_b = trans >> 1;
      check(params);
    }
}

// Several tiles in both directions, with narrower last ones, large k.
TEST(Matmul, Tiles) {
  for (int trans = 0; trans < 4; ++trans)
    for (int64_t dtype : {NLPRT_F32, NLPRT_BF16}) {
      nlprt_matmul_params params = makeParams(300, 500, 700, dtype);
      params.trans_a = trans & 1;
      params.trans_b = trans >> 1;
      check(params);
    }
  check(makeParams(64, 96, 4099));
  check(makeParams(1030, 8, 64));
  check(makeParams(3, 3001, 64));
}

TEST(Matmul, RefusesBadCalls) {
  nlprt_context context;
  nlprt_matmul_params params = makeParams(4, 4, 4);
  std::vector<Buffer> buffers = makeBuffers(params);
  std::vector<void *> pointers = pointersTo(buffers);
  auto run = [&] {
    return nlprt_matmul(&context, nullptr, &params, pointers.data());
  };
  EXPECT_EQ(run(), NLPRT_OK);
  EXPECT_EQ(nlprt_matmul(nullptr, nullptr, &params, pointers.data()),
            NLPRT_INVALID)
      << "no context";
  EXPECT_EQ(nlprt_matmul(&context, nullptr, nullptr, pointers.data()),
            NLPRT_INVALID);
  EXPECT_EQ(nlprt_matmul(&context, nullptr, &params, nullptr), NLPRT_INVALID);
  params.has_bias = 1;
  EXPECT_EQ(run(), NLPRT_INVALID) << "null bias";
  params.accumulate = 1;
  EXPECT_EQ(run(), NLPRT_INVALID) << "bias and accumulate";
  params.has_bias = params.accumulate = 0;
  for (int64_t size : {int64_t{0}, int64_t{-1}, int64_t{1} << 60}) {
    params.k = size;
    EXPECT_EQ(run(), NLPRT_INVALID) << "k " << size;
    EXPECT_EQ(nlprt_matmul_workspace(&params, 1), -1);
  }
  params.k = 4;
  params.dtype = NLPRT_F64;
  EXPECT_EQ(run(), NLPRT_UNSUPPORTED);
  params.dtype = NLPRT_F32;
  pointers[0] = nullptr;
  EXPECT_EQ(run(), NLPRT_INVALID);
}
