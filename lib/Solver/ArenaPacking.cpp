//===- ArenaPacking.cpp - Offsets for buffers in one arena *- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The portfolio: greedy orders, then improvement around the peak. Each stage
// starts from the best so far and stops at the bound.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/ArenaPacking.h"
#include "ArenaPackingImpl.h"
#include <cassert>

using namespace nlp::solver;

void PackingState::offer(const std::vector<int64_t> &offsets, int64_t height) {
  if (!best.offsets.empty() && height >= best.height)
    return;
  best.offsets = offsets;
  best.height = height;
}

PackingSolution nlp::solver::packArena(const PackingProblem &problem,
                                       const PackingOptions &options) {
  assert(!problem.check() && "expected a problem that can be solved");
  if (problem.buffers.empty())
    return {};
  PackingState state{problem, options};
  state.target =
      std::max(problem.getLowerBound(), problem.capacity.value_or(0));
  packGreedily(state);
  improvePacking(state, options.improveWork / 2);
  return std::move(state.best);
}
