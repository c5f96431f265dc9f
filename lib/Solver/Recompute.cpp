//===- Recompute.cpp - What to keep and what to compute again -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the method: exact search for small programs, the frontier of a chain
// where there is one, greedy choice otherwise. Whatever the method, schedules
// do not depend on the budget asked for, and the fastest within it is the
// answer: a larger budget never gives a slower one.
//
//===----------------------------------------------------------------------===//

#include "RecomputeBound.h"
#include "RecomputeChain.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace llvm;
using namespace nlp::solver;

RecomputeSolution nlp::solver::solveRecompute(const RecomputeProblem &problem,
                                              int64_t budgetBytes,
                                              const RecomputeOptions &options) {
  assert(!problem.check() && "expected a program that can be run");
  RecomputeProgram program(problem);
  std::vector<int32_t> order(program.getNumOps());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  RecomputeSolution solution = makeSolution(program, order);
  std::optional<Chain> chain = findChain(program);
  if (chain && solution.peakBytes > budgetBytes) {
    ChainSolver solver(*chain);
    const std::vector<ChainPoint> &points = solver.getPoints();
    size_t i = llvm::partition_point(points,
                                     [&](const ChainPoint &point) {
                                       return point.peakBytes <= budgetBytes;
                                     }) -
               points.begin();
    if (!points.empty())
      solution = makeSolution(program, solver.getOrder(i > 0 ? i - 1 : 0));
  }
  solution.feasible = solution.peakBytes <= budgetBytes;
  return solution;
}

RecomputeFrontier nlp::solver::computeFrontier(const RecomputeProblem &problem,
                                               const RecomputeOptions &options,
                                               int32_t points) {
  RecomputeFrontier frontier;
  RecomputeProgram program(problem);
  std::vector<int32_t> order(program.getNumOps());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  frontier.keepEverythingBytes = replayOrder(program, order).peakBytes;
  RecomputeBounder bounder(program);
  frontier.floorBytes = bounder.bound(frontier.keepEverythingBytes).floorBytes;
  std::optional<Chain> chain = findChain(program);
  if (!chain)
    return frontier;
  ChainSolver solver(*chain);
  for (size_t i = 0; i < solver.getPoints().size(); ++i) {
    FrontierPoint point;
    point.budgetBytes = point.peakBytes = solver.getPoints()[i].peakBytes;
    point.seconds = program.onceSeconds + solver.getPoints()[i].extraSeconds;
    frontier.points.push_back(point);
  }
  return frontier;
}
