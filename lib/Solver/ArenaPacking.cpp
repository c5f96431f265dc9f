//===- ArenaPacking.cpp - Offsets for buffers in one arena *- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The portfolio: greedy orders, what did not fit placed first, exact search,
// improvement around the peak. Each stage starts from the best so far and stops
// at the bound. What is live all the time, and times that repeat others, are
// left out before.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/ArenaPacking.h"
#include "ArenaPackingSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace nlp::solver;

void PackingState::offer(const std::vector<int64_t> &offsets, int64_t height) {
  if (!best.offsets.empty() && height >= best.height)
    return;
  best.offsets = offsets;
  best.height = height;
}

/// Height of `problem` packed at `offsets`.
static int64_t getHeight(const PackingProblem &problem,
                         llvm::ArrayRef<int64_t> offsets) {
  int64_t height = 0;
  for (size_t i = 0; i < offsets.size(); ++i)
    height = std::max(height, offsets[i] + problem.buffers[i].bytes);
  return height;
}

/// Searches at the target, then between it and the best height, halving what
/// lies between as long as there is work. Where nothing is left between, the
/// best is optimal and becomes the target.
static void closeGap(PackingState &state, const SearchInstance &instance,
                     int64_t work) {
  int64_t proven = state.target, low = state.target;
  for (int64_t aim = low; work > 0 && low < state.best.height;
       aim = low + (state.best.height - low) / 2) {
    int64_t share = work / 2 + 1;
    std::vector<int64_t> offsets = state.best.offsets;
    SearchResult result =
        searchPacking(instance, aim, share, state.options, offsets);
    work -= share;
    if (result == SearchResult::Found)
      state.offer(offsets, getHeight(state.problem, offsets));
    else
      low = aim + 1;
    if (result == SearchResult::Impossible)
      proven = low;
    if (state.shouldStop())
      return;
  }
  if (proven >= state.best.height)
    state.target = state.best.height;
}

/// Packs `problem`, which has buffers.
static PackingSolution packCore(const PackingProblem &problem,
                                const PackingOptions &options) {
  PackingState state{problem, options};
  state.target =
      std::max(problem.getLowerBound(), problem.capacity.value_or(0));
  packBothEnds(state);
  if (!state.isDone())
    packGreedily(state);
  int64_t repackWork = repackOffenders(state, options.improveWork / 8);
  if (state.isDone())
    return std::move(state.best);
  // A short search settles small problems, which improvement cannot.
  std::optional<SearchInstance> instance =
      makeSearchInstance(problem, options.searchWork / 8);
  if (instance)
    closeGap(state, *instance, options.searchWork / 4);
  if (!state.isDone())
    improvePacking(state, std::max(options.improveWork / 4,
                                   options.improveWork / 2 - repackWork));
  if (instance && !state.isDone())
    closeGap(state, *instance, options.searchWork - options.searchWork / 4);
  return std::move(state.best);
}

/// The buffers that are live whenever any buffer is: each takes a band of the
/// arena of its own, wherever it lies. Only those that leave every alignment as
/// it was above them; none where offsets are fixed.
static std::vector<size_t> findBands(const PackingProblem &problem) {
  if (llvm::any_of(problem.buffers, [](const PackingBuffer &buffer) {
        return buffer.fixedOffset.has_value();
      }))
    return {};
  std::vector<LiveInterval> all;
  int64_t alignment = 1;
  for (const PackingBuffer &buffer : problem.buffers) {
    alignment = std::max(alignment, buffer.alignment);
    if (buffer.bytes > 0)
      all.insert(all.end(), buffer.live.begin(), buffer.live.end());
  }
  llvm::sort(all, [](const LiveInterval &a, const LiveInterval &b) {
    return a.start < b.start;
  });
  // The times at which anything is live, as disjoint intervals.
  std::vector<LiveInterval> busy;
  for (const LiveInterval &interval : all) {
    if (busy.empty() || interval.start > busy.back().end)
      busy.push_back(interval);
    else
      busy.back().end = std::max(busy.back().end, interval.end);
  }
  std::vector<size_t> bands;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const PackingBuffer &buffer = problem.buffers[i];
    if (buffer.bytes > 0 && buffer.bytes % alignment == 0 &&
        llvm::equal(buffer.live, busy))
      bands.push_back(i);
  }
  return bands;
}

PackingSolution nlp::solver::packArena(const PackingProblem &problem,
                                       const PackingOptions &options) {
  assert(!problem.check() && "expected a problem that can be solved");
  if (problem.buffers.empty())
    return {};
  // Bands go to the bottom, the rest above them.
  PackingSolution solution;
  solution.offsets.assign(problem.buffers.size(), -1);
  for (size_t i : findBands(problem)) {
    solution.offsets[i] = solution.height;
    solution.height += problem.buffers[i].bytes;
  }
  PackingProblem core;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (solution.offsets[i] < 0)
      core.buffers.push_back(problem.buffers[i]);
  if (core.buffers.empty())
    return solution;
  int64_t base = solution.height;
  if (problem.capacity)
    core.capacity = std::max<int64_t>(0, *problem.capacity - base);
  if (std::optional<PackingProblem> shorter = dropRepeatedTimes(core))
    core = std::move(*shorter);
  PackingSolution packed = packCore(core, options);
  const int64_t *next = packed.offsets.data();
  for (int64_t &offset : solution.offsets)
    if (offset < 0)
      offset = base + *next++;
  solution.height = getHeight(problem, solution.offsets);
  return solution;
}
