//===- ArenaPackingCheckTest.cpp - Checks of packings -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fault that a problem or a solution can have is found and named; bounds
// on instances whose bound is plain.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/ArenaPacking.h"
#include "gtest/gtest.h"

using namespace nlp::solver;

static std::string problemError(std::vector<PackingBuffer> buffers) {
  return PackingProblem{std::move(buffers), {}}.check().value_or("");
}

TEST(ArenaPackingCheck, NamesFaultsOfAProblem) {
  EXPECT_EQ(problemError({{-1, 1, {}, {}}}),
            "buffer 0: expected a size of 0 or more, but got -1");
  EXPECT_EQ(problemError({{1, 1, {}, {}}, {1, 24, {}, {}}}),
            "buffer 1: expected an alignment that is a power of two, but got "
            "24");
  EXPECT_EQ(
      problemError({{1, 0, {}, {}}}),
      "buffer 0: expected an alignment that is a power of two, but got 0");
  EXPECT_EQ(problemError({{1, 1, {{3, 3}}, {}}}),
            "buffer 0: expected a start before the end, but got [3, 3)");
  EXPECT_EQ(
      problemError({{1, 1, {{0, 4}, {3, 5}}, {}}}),
      "buffer 0: expected disjoint intervals in rising order, but 3 comes "
      "after 4");
  EXPECT_EQ(problemError({{1, 1, {}, -8}}),
            "buffer 0: expected a fixed offset of 0 or more, but got -8");
  EXPECT_EQ(problemError({{1, 16, {}, 8}}),
            "buffer 0: expected a fixed offset that is a multiple of 16, but "
            "got 8");
  EXPECT_EQ(problemError({{8, 1, {{0, 2}}, 0}, {8, 1, {{1, 3}}, 4}}),
            "expected fixed offsets that fit together, but buffers 0 and 1 "
            "overlap");
  EXPECT_EQ(problemError({{8, 1, {{0, 2}}, 0}, {8, 1, {{2, 3}}, 4}}), "");
  EXPECT_EQ(problemError({{INT64_MAX, 1, {}, {}}, {INT64_MAX, 1, {}, {}}}),
            "expected sizes whose sum is below 2^62 bytes");
  PackingProblem problem{{}, -1};
  EXPECT_EQ(problem.check().value_or(""),
            "expected a capacity of 0 or more, but got -1");
}

TEST(ArenaPackingCheck, NamesFaultsOfASolution) {
  PackingProblem problem{
      {{8, 8, {{0, 2}}, {}}, {8, 8, {{1, 3}}, {}}, {4, 1, {{2, 3}}, 0}}, {}};
  ASSERT_EQ(problem.check(), std::nullopt);
  auto error = [&](PackingSolution solution) {
    return solution.verify(problem).value_or("");
  };
  EXPECT_EQ(error({{0, 8, 0}, 16}), "");
  EXPECT_EQ(error({{0, 8}, 16}), "expected 3 offsets, but got 2");
  EXPECT_EQ(error({{0, 4, 0}, 12}),
            "buffer 1: expected an offset that is a multiple of 8, but got 4");
  EXPECT_EQ(error({{0, -8, 0}, 16}),
            "buffer 1: expected an offset that is a multiple of 8, but got -8");
  EXPECT_EQ(error({{0, 8, 1}, 16}),
            "buffer 2: expected the fixed offset 0, but got 1");
  EXPECT_EQ(error({{0, 8, 0}, 17}), "expected a height of 16, but got 17");
  EXPECT_EQ(error({{8, 8, 0}, 16}),
            "expected no overlap, but buffers 0 and 1 are live together and "
            "share bytes");
  EXPECT_EQ(error({{8, 0, 0}, 16}),
            "expected no overlap, but buffers 1 and 2 are live together and "
            "share bytes");
  problem.capacity = 15;
  EXPECT_EQ(error({{0, 8, 0}, 16}),
            "expected a height of at most 15, but got 16");
}

TEST(ArenaPackingCheck, BoundsFromBelow) {
  // Live together at time 1: 10 and 20 bytes.
  PackingProblem problem{
      {{10, 1, {{0, 2}}, {}}, {20, 1, {{1, 3}}, {}}, {25, 1, {{3, 4}}, {}}},
      {}};
  EXPECT_EQ(problem.getMaxLiveBytes(), 30);
  EXPECT_EQ(problem.getLowerBound(), 30);
  // With multiples of 16 one of the two lies under the other: 16 + 20 or
  // 32 + 10. The bound takes the largest padding off, which here is 12 of the
  // 20, so it says 36.
  for (PackingBuffer &buffer : problem.buffers)
    buffer.alignment = 16;
  EXPECT_EQ(problem.getMaxLiveBytes(), 30);
  EXPECT_EQ(problem.getLowerBound(), 36);
  problem.buffers[2].fixedOffset = 64;
  EXPECT_EQ(problem.getLowerBound(), 89);
}
