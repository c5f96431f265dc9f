//===- Recompute.cpp - What to keep and what to compute again -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the method: the frontier of a chain where there is one, greedy plans
// otherwise, exact search on top where a program is small. The pool of plans
// does not depend on the budget asked for, and the fastest within it is the
// answer: a larger budget never gives a slower one.
//
//===----------------------------------------------------------------------===//

#include "RecomputeBound.h"
#include "RecomputeChain.h"
#include "RecomputeGreedy.h"
#include "nlp/Solver/RecomputeExact.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cmath>
#include <numeric>

using namespace llvm;
using namespace nlp::solver;

/// A chain of fewer stages, or with one of more ops, leaves a stage to greedy
/// choice.
static constexpr size_t kFewStages = 4;
static constexpr int32_t kLargeStage = 96;
/// Seconds that differ by less are the same: sums in another order do.
static constexpr double kSameSeconds = 1e-11;

namespace {
/// All plans for one program.
class RecomputePlanner {
public:
  RecomputePlanner(const RecomputeProblem &problem,
                   const RecomputeOptions &options);

  RecomputeSolution solve(int64_t budgetBytes, int64_t exactWork);
  /// Budgets at which the frontier is worth looking at, rising.
  std::vector<int64_t> getBudgets(int32_t count) const;
  RecomputeBound bound(int64_t budgetBytes) {
    return bounder.bound(budgetBytes);
  }
  int64_t getKeepEverythingBytes() const { return keepEverythingBytes; }
  std::vector<RecomputePool::Plan> getPlans() const;
  std::vector<ScheduledOp> getSchedule(size_t plan) const;

private:
  /// A plan that is not spelled out yet.
  struct Candidate {
    int64_t peakBytes; ///< Or less.
    double seconds;
    int32_t chainPoint, greedyPlan; ///< -1: not of this kind.
  };

  void addCandidates();
  std::vector<int32_t> getOrder(const Candidate &candidate) const;
  RecomputeSolution pick(int64_t budgetBytes) const;

  RecomputeProgram program;
  RecomputeOptions options;
  RecomputeBounder bounder;
  std::optional<Chain> chain;
  std::optional<ChainSolver> chainSolver;
  std::vector<GreedyPlan> greedyPlans;
  std::vector<Candidate> candidates; ///< Peaks rise, times fall.
  int64_t keepEverythingBytes = 0;
};
} // namespace

RecomputePlanner::RecomputePlanner(const RecomputeProblem &problem,
                                   const RecomputeOptions &options)
    : program(problem), options(options), bounder(program),
      chain(findChain(program)) {
  bool isWhole = chain && chain->stages.size() >= kFewStages;
  if (chain) {
    chainSolver.emplace(*chain);
    for (const ChainStage &stage : chain->stages)
      isWhole &= stage.opEnd - stage.opBegin <= kLargeStage;
  }
  if (!isWhole)
    greedyPlans = planGreedily(program, bounder.bound(INT64_MAX).floorBytes,
                               options.greedyWork, options.shouldStop);
  addCandidates();
}

void RecomputePlanner::addCandidates() {
  std::vector<int32_t> order(program.getNumOps());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  Replay replay = replayOrder(program, order);
  keepEverythingBytes = replay.peakBytes;
  std::vector<Candidate> all{{replay.peakBytes, replay.seconds, -1, -1}};
  if (chainSolver)
    for (auto [i, point] : enumerate(chainSolver->getPoints()))
      all.push_back({point.peakBytes, program.onceSeconds + point.extraSeconds,
                     static_cast<int32_t>(i), -1});
  for (auto [i, plan] : enumerate(greedyPlans))
    all.push_back({plan.replay.peakBytes, plan.replay.seconds, -1,
                   static_cast<int32_t>(i)});
  llvm::stable_sort(all, [](const Candidate &a, const Candidate &b) {
    return std::tie(a.peakBytes, a.seconds) < std::tie(b.peakBytes, b.seconds);
  });
  for (const Candidate &candidate : all)
    if (candidates.empty() ||
        candidate.seconds < candidates.back().seconds * (1 - kSameSeconds))
      candidates.push_back(candidate);
}

std::vector<int32_t>
RecomputePlanner::getOrder(const Candidate &candidate) const {
  if (candidate.chainPoint >= 0)
    return chainSolver->getOrder(candidate.chainPoint);
  if (candidate.greedyPlan >= 0)
    return greedyPlans[candidate.greedyPlan].order;
  std::vector<int32_t> order(program.getNumOps());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  return order;
}

/// The fastest plan of the pool within the budget, or the smallest one.
RecomputeSolution RecomputePlanner::pick(int64_t budgetBytes) const {
  size_t i = llvm::partition_point(candidates,
                                   [&](const Candidate &candidate) {
                                     return candidate.peakBytes <= budgetBytes;
                                   }) -
             candidates.begin();
  // Peaks of candidates are upper bounds; should one not be, the next smaller
  // plan will do.
  while (true) {
    i = i > 0 ? i - 1 : 0;
    RecomputeSolution solution = makeSolution(program, getOrder(candidates[i]));
    solution.feasible = solution.peakBytes <= budgetBytes;
    if (solution.feasible || i == 0)
      return solution;
  }
}

RecomputeSolution RecomputePlanner::solve(int64_t budgetBytes,
                                          int64_t exactWork) {
  RecomputeSolution solution = pick(budgetBytes);
  RecomputeBound bound = bounder.bound(budgetBytes);
  auto isProven = [&] {
    return solution.feasible &&
           solution.seconds <= bound.seconds * (1 + kSameSeconds);
  };
  if (!isProven() && std::isfinite(bound.seconds)) {
    ExactOptions exact;
    exact.work = exactWork;
    exact.shouldStop = options.shouldStop;
    if (solution.feasible)
      exact.knownSeconds = solution.seconds;
    std::optional<RecomputeSolution> best =
        solveRecomputeExactly(program.problem, budgetBytes, exact);
    if (best && best->bound.seconds > bound.seconds)
      bound = best->bound;
    if (best && best->feasible)
      solution = std::move(*best);
  }
  solution.bound = std::move(bound);
  solution.isOptimal = isProven();
  if (solution.feasible)
    return solution;
  // How far down it goes.
  ExactOptions exact;
  exact.work = exactWork;
  exact.shouldStop = options.shouldStop;
  std::optional<RecomputeSolution> smallest =
      minimizeRecomputePeak(program.problem, exact);
  if (!smallest)
    return solution;
  solution.bound.floorBytes =
      std::max(solution.bound.floorBytes, smallest->bound.floorBytes);
  if (!smallest->schedule.empty() && smallest->peakBytes < solution.peakBytes) {
    smallest->bound = std::move(solution.bound);
    smallest->feasible = smallest->peakBytes <= budgetBytes;
    return std::move(*smallest);
  }
  return solution;
}

std::vector<int64_t> RecomputePlanner::getBudgets(int32_t count) const {
  std::vector<int64_t> budgets;
  const Candidate &first = candidates.front(), &last = candidates.back();
  // Half of them at even steps of bytes, half at even steps of time.
  int32_t half = std::max(1, count / 2);
  for (int32_t i = 0; i < half; ++i)
    budgets.push_back(
        first.peakBytes +
        static_cast<int64_t>(
            static_cast<double>(last.peakBytes - first.peakBytes) * i / half));
  budgets.push_back(last.peakBytes);
  for (int32_t i = 1; i < count - half; ++i) {
    double seconds =
        first.seconds + (last.seconds - first.seconds) * i / (count - half);
    auto it =
        llvm::partition_point(candidates, [&](const Candidate &candidate) {
          return candidate.seconds > seconds;
        });
    if (it != candidates.end())
      budgets.push_back(it->peakBytes);
  }
  llvm::sort(budgets);
  budgets.erase(llvm::unique(budgets), budgets.end());
  return budgets;
}

std::vector<RecomputePool::Plan> RecomputePlanner::getPlans() const {
  std::vector<RecomputePool::Plan> plans;
  for (const Candidate &candidate : candidates)
    plans.push_back({candidate.peakBytes, candidate.seconds});
  return plans;
}

std::vector<ScheduledOp> RecomputePlanner::getSchedule(size_t plan) const {
  return makeSolution(program, getOrder(candidates[plan])).schedule;
}

struct RecomputePool::Impl {
  RecomputePlanner planner;
};

RecomputePool::RecomputePool(const RecomputeProblem &problem,
                             const RecomputeOptions &options) {
  assert(!problem.check() && "expected a program that can be run");
  impl.reset(new Impl{RecomputePlanner(problem, options)});
}

RecomputePool::RecomputePool(RecomputePool &&) = default;
RecomputePool &RecomputePool::operator=(RecomputePool &&) = default;
RecomputePool::~RecomputePool() = default;

std::vector<RecomputePool::Plan> RecomputePool::getPlans() const {
  return impl->planner.getPlans();
}

std::vector<ScheduledOp> RecomputePool::getSchedule(size_t plan) const {
  return impl->planner.getSchedule(plan);
}

RecomputeBound RecomputePool::getBound(int64_t budgetBytes) {
  return impl->planner.bound(budgetBytes);
}

int64_t RecomputePool::getKeepEverythingBytes() const {
  return impl->planner.getKeepEverythingBytes();
}

RecomputeSolution nlp::solver::solveRecompute(const RecomputeProblem &problem,
                                              int64_t budgetBytes,
                                              const RecomputeOptions &options) {
  assert(!problem.check() && "expected a program that can be run");
  return RecomputePlanner(problem, options)
      .solve(budgetBytes, options.exactWork);
}

RecomputeFrontier nlp::solver::computeFrontier(const RecomputeProblem &problem,
                                               const RecomputeOptions &options,
                                               int32_t points) {
  assert(!problem.check() && "expected a program that can be run");
  RecomputePlanner planner(problem, options);
  RecomputeFrontier frontier;
  frontier.keepEverythingBytes = planner.getKeepEverythingBytes();
  frontier.floorBytes = planner.bound(INT64_MAX).floorBytes;
  for (int64_t budget : planner.getBudgets(points)) {
    RecomputeSolution solution =
        planner.solve(budget, options.exactWork / std::max(1, points));
    frontier.floorBytes =
        std::max(frontier.floorBytes, solution.bound.floorBytes);
    if (!solution.feasible)
      continue;
    // What is no faster than the row before is dominated by it; what has no
    // larger a peak dominates it.
    std::vector<FrontierPoint> &rows = frontier.points;
    if (!rows.empty() &&
        solution.seconds >= rows.back().seconds * (1 - kSameSeconds))
      continue;
    while (!rows.empty() && solution.peakBytes <= rows.back().peakBytes)
      rows.pop_back();
    rows.push_back({budget, solution.peakBytes, solution.seconds,
                    solution.bound.seconds, std::move(solution.schedule)});
  }
  return frontier;
}

int64_t nlp::solver::getKeepEverythingBytes(const RecomputeProblem &problem) {
  assert(!problem.check() && "expected a program that can be run");
  RecomputeProgram program(problem);
  std::vector<int32_t> order(program.getNumOps());
  std::iota(order.begin(), order.end(), 0);
  return replayOrder(program, order).peakBytes;
}

RecomputeBound nlp::solver::boundRecompute(const RecomputeProblem &problem,
                                           int64_t budgetBytes) {
  assert(!problem.check() && "expected a program that can be run");
  RecomputeProgram program(problem);
  return RecomputeBounder(program).bound(budgetBytes);
}
