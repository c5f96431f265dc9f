//===- ArenaPackingTest.cpp - Packings of random problems -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems of every kind: the independent check accepts each solution,
// none is below the bound, small ones are optimal.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/ArenaPacking.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace nlp::solver;

namespace {
/// What a random problem may hold.
struct Kind {
  int buffers;
  int times = 20;
  int maxBytes = 100;
  int maxIntervals = 1;
  int maxAlignmentLog2 = 0;
};
} // namespace

static PackingProblem makeProblem(Kind kind, unsigned seed) {
  std::mt19937 random(seed);
  PackingProblem problem;
  for (int i = 0; i < kind.buffers; ++i) {
    PackingBuffer buffer;
    buffer.bytes = random() % (kind.maxBytes + 1);
    buffer.alignment = 1 << random() % (kind.maxAlignmentLog2 + 1);
    std::vector<int64_t> cuts;
    for (unsigned n = 2 * (1 + random() % kind.maxIntervals); n > 0; --n)
      cuts.push_back(random() % kind.times);
    std::sort(cuts.begin(), cuts.end());
    for (size_t j = 0; j < cuts.size(); j += 2)
      if (cuts[j] < cuts[j + 1])
        buffer.live.push_back({cuts[j], cuts[j + 1]});
    problem.buffers.push_back(buffer);
  }
  return problem;
}

/// Packs, and checks what every packing must fulfil.
static PackingSolution pack(const PackingProblem &problem,
                            const PackingOptions &options = {}) {
  EXPECT_EQ(problem.check(), std::nullopt);
  PackingSolution solution = packArena(problem, options);
  EXPECT_EQ(solution.verify(problem), std::nullopt);
  EXPECT_GE(solution.height, problem.getLowerBound());
  return solution;
}

/// The least height over all orders of placing each buffer as low as it goes:
/// that is the optimum, since an optimal packing can be let down onto itself.
static int64_t getOptimum(const PackingProblem &problem) {
  size_t count = problem.buffers.size();
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  int64_t best = INT64_MAX;
  auto conflict = [&](size_t a, size_t b) {
    for (const LiveInterval &x : problem.buffers[a].live)
      for (const LiveInterval &y : problem.buffers[b].live)
        if (x.start < y.end && y.start < x.end)
          return true;
    return false;
  };
  do {
    std::vector<int64_t> offsets(count);
    int64_t height = 0;
    for (size_t i = 0; i < count; ++i) {
      const PackingBuffer &buffer = problem.buffers[order[i]];
      int64_t offset = 0;
      for (size_t j = 0; j < i; ++j)
        if (conflict(order[i], order[j]))
          offset = std::max(offset, offsets[order[j]] +
                                        problem.buffers[order[j]].bytes);
      offset =
          (offset + buffer.alignment - 1) / buffer.alignment * buffer.alignment;
      offsets[order[i]] = offset;
      height = std::max(height, offset + buffer.bytes);
    }
    best = std::min(best, height);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// The least height over all offsets below `limit`, by trying all of them.
static int64_t getOptimumByOffsets(const PackingProblem &problem,
                                   PackingSolution &partial, int64_t limit) {
  size_t next = partial.offsets.size();
  PackingProblem placed = problem;
  placed.buffers.resize(next);
  if (next > 0) {
    partial.height = 0;
    for (size_t i = 0; i < next; ++i)
      partial.height = std::max(partial.height,
                                partial.offsets[i] + problem.buffers[i].bytes);
    if (partial.height >= limit || partial.verify(placed))
      return limit;
  }
  if (next == problem.buffers.size())
    return partial.height;
  for (int64_t offset = 0; offset < limit; ++offset) {
    partial.offsets.push_back(offset);
    limit = std::min(limit, getOptimumByOffsets(problem, partial, limit));
    partial.offsets.pop_back();
  }
  return limit;
}

TEST(ArenaPacking, PacksNothing) {
  EXPECT_EQ(pack({}).height, 0);
  EXPECT_EQ(pack({{{0, 64, {{0, 9}}, {}}, {0, 1, {}, {}}}, {}}).height, 0);
}

TEST(ArenaPacking, SharesBytesOverTime) {
  PackingProblem problem{
      {{10, 1, {{0, 2}}, {}}, {10, 1, {{2, 4}}, {}}, {5, 1, {{1, 3}}, {}}}, {}};
  EXPECT_EQ(pack(problem).height, 15);
}

TEST(ArenaPacking, FindsTheOptimumOfSmallProblems) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Kind kind{6, 8, 12, 1 + int(seed % 3), int(seed % 4)};
    PackingProblem problem = makeProblem(kind, seed);
    EXPECT_EQ(pack(problem).height, getOptimum(problem)) << "seed " << seed;
  }
}

TEST(ArenaPacking, PacksRandomProblems) {
  PackingOptions options;
  options.improveWork = options.searchWork = 1'000'000;
  for (unsigned seed = 0; seed < 100; ++seed)
    pack(makeProblem(
             {int(1 + seed * 3), 40, 1000, 1 + int(seed % 4), int(seed % 8)},
             seed),
         options);
}

TEST(ArenaPacking, KeepsFixedOffsets) {
  PackingOptions options;
  options.improveWork = options.searchWork = 1'000'000;
  for (unsigned seed = 0; seed < 40; ++seed) {
    PackingProblem problem = makeProblem({80, 30, 100, 2, 3}, seed);
    // Offsets that fit together, taken from a packing.
    PackingSolution packed = packArena(problem, options);
    for (size_t i = 0; i < problem.buffers.size(); i += 3)
      problem.buffers[i].fixedOffset = packed.offsets[i];
    pack(problem, options);
  }
  // Below a fixed buffer there is room for one of the two.
  PackingProblem problem{
      {{8, 1, {{0, 4}}, 10}, {10, 1, {{0, 2}}, {}}, {11, 1, {{2, 4}}, {}}}, {}};
  EXPECT_EQ(pack(problem).offsets, (std::vector<int64_t>{10, 0, 18}));
}

TEST(ArenaPacking, FindsTheOptimumAroundFixedBuffers) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    PackingProblem problem =
        makeProblem({5, 6, 5, 1 + int(seed % 2), int(seed % 3)}, seed);
    problem.buffers[0].fixedOffset = 4 * (seed % 3);
    PackingSolution partial;
    int64_t height = pack(problem).height;
    EXPECT_EQ(height, getOptimumByOffsets(problem, partial, height + 1))
        << "seed " << seed;
  }
}

TEST(ArenaPacking, UsesGapsBetweenIntervals) {
  // The first buffer is live twice; the second fits between.
  PackingProblem problem{
      {{64, 64, {{0, 2}, {6, 8}}, {}}, {64, 64, {{2, 6}}, {}}}, {}};
  EXPECT_EQ(pack(problem).height, 64);
}

// The same lifetimes again and again, with buffers that live across all of them
// or from one into the next: as small as what happens once.
TEST(ArenaPacking, FindsTheOptimumOfRepeats) {
  constexpr int times = 8, rounds = 50;
  for (unsigned seed = 0; seed < 40; ++seed) {
    PackingProblem once = makeProblem({6, times, 12, 2, int(seed % 4)}, seed);
    once.buffers[0].live = {{0, times}};
    if (once.buffers[1].live.empty() || once.buffers[1].live.back().end < times)
      once.buffers[1].live.push_back({times - 1, times});
    PackingProblem problem = once;
    for (PackingBuffer &buffer : problem.buffers) {
      buffer.live.clear();
      for (int round = 0; round < rounds; ++round)
        for (LiveInterval live :
             once.buffers[&buffer - &problem.buffers[0]].live)
          buffer.live.push_back(
              {live.start + round * times, live.end + round * times});
    }
    problem.buffers[0].live = {{0, rounds * times}};
    EXPECT_EQ(pack(problem).height, getOptimum(once)) << "seed " << seed;
  }
}

TEST(ArenaPacking, StopsAtTheCapacity) {
  PackingProblem problem = makeProblem({300, 60, 1000}, 5);
  int64_t best = pack(problem).height;
  problem.capacity = 2 * best;
  EXPECT_LE(packArena(problem).height, 2 * best);
}

/// Cuts `count` buffers out of a full arena, now in time and now in offsets,
/// and leaves out about one in `holes`.
static PackingProblem cutArena(int count, int holes, unsigned seed) {
  constexpr int64_t side = 1024;
  std::mt19937 random(seed);
  std::vector<std::pair<LiveInterval, int64_t>> pieces = {{{0, side}, side}};
  while (pieces.size() < static_cast<size_t>(count)) {
    size_t chosen = random() % pieces.size();
    auto [live, bytes] = pieces[chosen];
    int64_t length = live.end - live.start;
    if (static_cast<int64_t>(random() % (length + bytes)) < length) {
      if (length < 2)
        continue;
      int64_t middle = live.start + 1 + random() % (length - 1);
      pieces[chosen] = {{live.start, middle}, bytes};
      pieces.push_back({{middle, live.end}, bytes});
    } else if (bytes >= 2) {
      int64_t lower = 1 + random() % (bytes - 1);
      pieces[chosen] = {live, lower};
      pieces.push_back({live, bytes - lower});
    }
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  PackingProblem problem;
  for (auto [live, bytes] : pieces)
    if (random() % holes != 0)
      problem.buffers.push_back({bytes, 1, {live}, {}});
  problem.capacity = side;
  return problem;
}

TEST(ArenaPacking, FillsArenasThatWereCut) {
  for (unsigned seed = 0; seed < 20; ++seed)
    EXPECT_LE(pack(cutArena(60, 10, seed)).height, 1024) << "seed " << seed;
}

TEST(ArenaPacking, IsDeterministic) {
  PackingProblem problem = makeProblem({300, 60, 1000, 2, 4}, 11);
  PackingOptions options;
  options.improveWork = options.searchWork = 5'000'000;
  EXPECT_EQ(packArena(problem, options).offsets,
            packArena(problem, options).offsets);
}

TEST(ArenaPacking, StopsWhenAsked) {
  PackingProblem problem = makeProblem({400, 60, 1000, 2, 4}, 3);
  PackingOptions options;
  options.improveWork = options.searchWork = INT64_MAX;
  int calls = 0;
  options.shouldStop = [&] { return ++calls > 20; };
  pack(problem, options);
}
