//===- RecomputeExact.cpp - Exact answers for small programs -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the questions to the search. The smallest peak is found by bisection
// between the largest op and the peak of the order as given: a plan that is
// found lowers the upper end to its own peak, a search that fails raises the
// lower one to the first budget at which it would have seen anything else.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/RecomputeExact.h"
#include "RecomputeExactImpl.h"
#include <cmath>
#include <numeric>

using namespace nlp::solver;

std::optional<RecomputeSolution>
nlp::solver::solveRecomputeExactly(const RecomputeProblem &problem,
                                   int64_t budgetBytes,
                                   const ExactOptions &options) {
  RecomputeProgram program(problem);
  std::optional<ExactProgram> exact = ExactProgram::create(program);
  if (!exact)
    return std::nullopt;
  ExactQuery query;
  query.budget = budgetBytes;
  // Ticks are rounded down; a plan that is faster by less than the rounding is
  // not missed.
  if (options.knownSeconds)
    query.ticksLimit = static_cast<int64_t>(
        std::min(std::ceil(*options.knownSeconds / exact->tickSeconds),
                 std::ldexp(1.0, 60)));
  int64_t work = options.work;
  ExactSearchResult found = searchRecompute(*exact, query, options, work);

  RecomputeSolution solution;
  if (found.outcome == ExactOutcome::Found) {
    solution = makeSolution(program, found.sequence);
    // Of several inputs whose bytes an output could take over, a replay may
    // name another one than the search did.
    if (solution.peakBytes > budgetBytes)
      return std::nullopt;
    solution.isOptimal = true;
  }
  // A power of two times ticks that were rounded down: exact, and below.
  solution.bound.seconds =
      static_cast<double>(found.lowerBoundTicks) * exact->tickSeconds;
  if (found.outcome == ExactOutcome::Impossible &&
      query.ticksLimit == ExactProgram::infiniteTicks)
    solution.bound.seconds = std::numeric_limits<double>::infinity();
  solution.bound.floorBytes = program.constantBytes;
  return solution;
}

/// Bytes that some op needs, or the results at the end.
static int64_t getFloor(const ExactProgram &program) {
  auto getBytes = [&](ValueMask values) {
    int64_t bytes = program.constantBytes;
    for (const ExactStorage &storage : program.storages)
      if (storage.values & values)
        bytes += storage.bytes;
    return bytes;
  };
  int64_t floor = getBytes(program.results);
  for (const ExactOp &op : program.ops) {
    int64_t bytes = getBytes(op.inputs | op.outputs) + op.workspaceBytes;
    for (auto [to, from] : op.inPlace)
      bytes -=
          std::min(program.storages[to].bytes, program.storages[from].bytes);
    floor = std::max(floor, bytes);
  }
  return floor;
}

std::optional<RecomputeSolution>
nlp::solver::minimizeRecomputePeak(const RecomputeProblem &problem,
                                   const ExactOptions &options) {
  RecomputeProgram program(problem);
  std::optional<ExactProgram> exact = ExactProgram::create(program);
  if (!exact)
    return std::nullopt;
  // The way that has the fewest ops left is tried first.
  for (ExactOp &op : exact->ops)
    op.ticks = 1;
  std::vector<int32_t> asGiven(problem.ops.size());
  std::iota(asGiven.begin(), asGiven.end(), 0);
  RecomputeSolution best = makeSolution(program, asGiven);
  int64_t low = getFloor(*exact);
  int64_t work = options.work;
  while (low < best.peakBytes) {
    ExactQuery query;
    query.budget = low + (best.peakBytes - low) / 2;
    query.ignoresTime = true;
    ExactSearchResult found = searchRecompute(*exact, query, options, work);
    if (found.outcome == ExactOutcome::Impossible) {
      low = std::min(found.nextBudget, best.peakBytes);
      continue;
    }
    if (found.outcome == ExactOutcome::OutOfWork)
      break;
    RecomputeSolution plan = makeSolution(program, found.sequence);
    if (plan.peakBytes > query.budget) // as above
      break;
    best = std::move(plan);
  }
  best.bound.floorBytes = std::min(low, best.peakBytes);
  return best;
}
