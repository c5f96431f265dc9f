//===- RecomputeExact.h - Least time within a budget, proven -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact answers for small programs: the fastest plan within a budget and the
// plan with the least peak, over all orders and any number of repetitions. They
// judge the general solver and serve where a program is small enough. Work is
// counted, not timed, so that the same call gives the same answer everywhere.
//
//   std::optional<RecomputeSolution> best =
//       solveRecomputeExactly(problem, budgetBytes, {});
//
//===----------------------------------------------------------------------===//

#ifndef NLP_SOLVER_RECOMPUTEEXACT_H
#define NLP_SOLVER_RECOMPUTEEXACT_H

#include "nlp/Solver/Recompute.h"

namespace nlp::solver {

/// How far a search may go.
struct ExactOptions {
  /// A unit is about a nanosecond.
  int64_t work = 2'000'000'000;
  /// States that are remembered, at some 100 bytes each.
  int64_t maxStates = 5'000'000;
  /// Seconds of a plan that is known: only faster ones are searched for.
  std::optional<double> knownSeconds;
  /// Asked now and then; true ends the search early. For limits in time, which
  /// make results depend on the machine.
  std::function<bool()> shouldStop;
};

/// The fastest plan for a problem that check() finds nothing wrong with. None
/// where the problem has more than 64 ops or values with a producer. Else one
/// of three:
/// - optimal: `bound.seconds` equals `seconds` but for some 1e-12 of rounding.
/// - not feasible, `bound.seconds` infinite: no plan keeps the budget.
/// - not feasible, `bound.seconds` finite: the search gave up, or no plan is
///   faster than `knownSeconds`; none takes less than the bound.
/// The schedule is empty unless feasible.
std::optional<RecomputeSolution>
solveRecomputeExactly(const RecomputeProblem &problem, int64_t budgetBytes,
                      const ExactOptions &options);

/// The plan with the smallest peak that was found, whatever time it takes, for
/// a problem that check() finds nothing wrong with; no plan's peak is below
/// `bound.floorBytes`, which equals its own where the search ended. None where
/// the problem is too large, as above. `knownSeconds` does not count.
std::optional<RecomputeSolution>
minimizeRecomputePeak(const RecomputeProblem &problem,
                      const ExactOptions &options);

} // namespace nlp::solver

#endif // NLP_SOLVER_RECOMPUTEEXACT_H
