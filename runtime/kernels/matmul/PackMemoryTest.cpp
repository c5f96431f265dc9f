//===- PackMemoryTest.cpp - Products pack into planned memory ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackMemory.h"
#include "../test/Testing.h"
#include "MatmulTile.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace nlprt;

namespace {

constexpr int64_t kMaxRows = 512, kMaxCols = 384, kMaxDepth = 4096;

/// Runs a tile of `shape` on zeros.
void run(TileShape shape) {
  static std::vector<float> operands(kMaxDepth * kMaxDepth), out(kMaxDepth);
  shape.lda = shape.transA ? shape.m : shape.k;
  shape.ldb = shape.transB ? shape.k : shape.n;
  shape.ldc = shape.n;
  out.resize(static_cast<size_t>(shape.m * shape.n));
  std::vector<char> workspace(
      static_cast<size_t>(getTileWorkspaceBytes(shape)));
  Tile *tile = getTile(shape);
  ASSERT_NE(tile, nullptr);
  for (int run = 0; run < 2; ++run) // the first leaves packing to the C library
    EXPECT_TRUE(runTile(*tile, {operands.data(), operands.data(), nullptr,
                                out.data(), workspace.data()}));
}

} // namespace

TEST(PackMemory, ServesAlignedMemoryWhileItLives) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers bring their own allocator";
#endif
  std::vector<char> buffer(100000);
  int64_t missesBefore = countPackMisses();
  void *outside = nullptr, *first = nullptr, *second = nullptr,
       *tooMuch = nullptr, *object = nullptr;
  {
    PackMemory memory(buffer.data(), static_cast<int64_t>(buffer.size()));
    ASSERT_EQ(posix_memalign(&first, 64, 20000), 0);
    ASSERT_EQ(posix_memalign(&second, 64, 20000), 0);
    ASSERT_EQ(posix_memalign(&tooMuch, 64, 100000), 0);
    EXPECT_TRUE(isPackMemory(first));
    EXPECT_TRUE(isPackMemory(second));
    EXPECT_FALSE(isPackMemory(tooMuch));
    EXPECT_GE(static_cast<char *>(second) - static_cast<char *>(first), 20000);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(second) % 64, 0u);
    ASSERT_EQ(posix_memalign(&object, 64, 3000), 0);
    EXPECT_FALSE(isPackMemory(object)) << "too small to be an operand";
    free(object);
    free(first);
    free(second);
  }
  EXPECT_EQ(countPackMisses(), missesBefore + 1);
  free(tooMuch);
  ASSERT_EQ(posix_memalign(&outside, 64, 20000), 0);
  EXPECT_FALSE(isPackMemory(outside));
  EXPECT_EQ(countPackMisses(), missesBefore + 1);
  free(outside);
  EXPECT_NE(posix_memalign(&outside, 3, 8), 0) << "no power of two";
}

TEST(PackMemory, ProductsOfAnySizeFit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers bring their own allocator";
#endif
  int64_t missesBefore = countPackMisses();
  std::mt19937 random(7);
  // Sizes of every magnitude, and the multiples that kernels are made for.
  auto size = [&](int64_t most) {
    auto limit = std::min<int64_t>(most, int64_t{1} << (1 + random() % 13));
    int64_t drawn = 1 + random() % limit;
    int64_t unit = int64_t{1} << (random() % 8);
    return std::min(most, (drawn + unit - 1) / unit * unit);
  };
  for (int draw = 0; draw < 400; ++draw)
    for (int trans = 0; trans < 4; ++trans) {
      TileShape shape = {};
      shape.m = size(kMaxRows);
      shape.n = size(kMaxCols);
      shape.k = size(kMaxDepth);
      shape.transA = trans & 1;
      shape.transB = trans >> 1;
      shape.dtype = NLPRT_F32;
      SCOPED_TRACE(testing::Message()
                   << shape.m << "x" << shape.n << "x" << shape.k << " trans "
                   << shape.transA << shape.transB);
      run(shape);
      ASSERT_EQ(countPackMisses(), missesBefore);
    }
  for (int trans = 0; trans < 4; ++trans)
    for (int64_t k : {1, 64, 128, 192, 256, 384, 385, 512, 767, 768, 3072})
      for (int64_t m : {16, 48, 256, 384, 512}) {
        TileShape shape = {m,         kMaxCols,   k, 0, 0,        0,
                           trans & 1, trans >> 1, 0, 0, NLPRT_F32};
        run(shape);
        ASSERT_EQ(countPackMisses(), missesBefore)
            << m << " rows, k " << k << " trans " << trans;
      }
}
