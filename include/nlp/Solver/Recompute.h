//===- Recompute.h - What to keep and what to compute again -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rematerialization: a schedule of a straight-line program that keeps its peak
// of live bytes within a budget, at the least time spent on running ops again.
// NP-hard; chains of stages (the layers of a Transformer) are solved by dynamic
// programming over what each stage keeps, small programs exactly, others by
// greedy choice under simulation. A lower bound that holds for every schedule
// says how far the answer may be from the best. Numbers in, numbers out. The
// same problem and options give the same solution, since every limit counts
// work, not time. docs/Planner/Recompute.md has the model.
//
//   RecomputeProblem problem = ...;
//   assert(!problem.check());
//   RecomputeSolution solution = solveRecompute(problem, budgetBytes);
//   assert(!solution.feasible || !solution.verify(problem));
//
//===----------------------------------------------------------------------===//

#ifndef NLP_SOLVER_RECOMPUTE_H
#define NLP_SOLVER_RECOMPUTE_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nlp::solver {

/// A value of a straight-line program.
struct ProgramValue {
  int64_t bytes = 0;
  /// The value whose bytes this one shares, or none where it has its own. All
  /// values that lead to the same one are a storage: as many bytes as that one
  /// has, live while any of them is.
  std::optional<int32_t> aliasOf;
};

/// An op of a straight-line program. While it runs, its inputs, its outputs and
/// its workspace are live together.
struct ProgramOp {
  double seconds = 0;
  llvm::SmallVector<int32_t, 4> inputs;
  llvm::SmallVector<int32_t, 2> outputs;
  int64_t workspaceBytes = 0;
  /// False for an op that has to run exactly once and keeps its place among the
  /// ops that do: side effects, and the whole backward pass.
  bool canRepeat = true;
  /// (output, input) positions in the lists above: where the input's storage
  /// dies with this op, the output takes its bytes over, and the smaller of the
  /// two does not count while the op runs. Constants never die.
  llvm::SmallVector<std::pair<int32_t, int32_t>, 1> inPlace;
};

/// A straight-line program: each op runs at least once; values without a
/// producer are constants, live throughout; results are live at the end.
struct RecomputeProblem {
  std::vector<ProgramValue> values;
  std::vector<ProgramOp> ops;
  std::vector<int32_t> results;
  /// Ops from here on run in the order given, each once; ops before it may run
  /// again anywhere. The number of ops where nothing is fixed.
  int32_t firstFixed = 0;

  /// What is wrong with the numbers, or none.
  std::optional<std::string> check() const;
};

/// One execution and the values that are dropped behind it: those that were
/// live and are no constants. What an op puts out stays until it is dropped.
struct ScheduledOp {
  int32_t op = 0;
  std::vector<int32_t> freeAfter;
};

/// What proves that no plan is faster within the budget, or that none exists.
/// When op `op` first runs, all that a plan may hold of the values that ops
/// before it have put out and ops after it read is what the budget leaves
/// beside `op` itself; the rest has to be computed again. `recomputed` is the
/// far side of the minimum cut that weighs seconds against bytes at
/// `secondsPerByte`.
struct RecomputeCertificate {
  int32_t op = -1; ///< None: nothing says more than that all ops run once.
  double secondsPerByte = 0;
  /// Bytes that are live at `op` in every schedule; above the budget, no
  /// schedule exists.
  int64_t heldBytes = 0;
  std::vector<int32_t> recomputed; ///< Ops, rising.
};

/// A time that no schedule is below.
struct RecomputeBound {
  double seconds = 0; ///< Rounded down; infinite where no schedule exists.
  /// No schedule has a smaller peak, whatever it costs.
  int64_t floorBytes = 0;
  RecomputeCertificate certificate;
};

struct RecomputeSolution {
  bool feasible = false;
  /// Where no schedule within the budget was found: the one with the smallest
  /// peak that is known.
  std::vector<ScheduledOp> schedule;
  double seconds = 0; ///< Of all executions.
  int64_t peakBytes = 0;
  /// The first execution at which the peak is reached.
  int32_t peakPosition = -1;
  RecomputeBound bound;
  /// The schedule was proven to be the fastest.
  bool isOptimal = false;

  /// Replays the schedule; what is wrong with it, or none. Shares nothing with
  /// the solver.
  std::optional<std::string> verify(const RecomputeProblem &problem) const;
};

/// How much work a solution is worth. A unit is about a nanosecond: one look at
/// one operand of one op.
struct RecomputeOptions {
  /// For exact search of small programs.
  int64_t exactWork = 2'000'000'000;
  /// For greedy choice where a program is no chain.
  int64_t greedyWork = 4'000'000'000;
  /// Asked now and then; true ends the work early. For limits in time, which
  /// make results depend on the machine.
  std::function<bool()> shouldStop;
};

/// The fastest schedule found whose peak is within the budget.
RecomputeSolution solveRecompute(const RecomputeProblem &problem,
                                 int64_t budgetBytes,
                                 const RecomputeOptions &options = {});

/// A budget and a schedule for it.
struct FrontierPoint {
  int64_t budgetBytes = 0;
  int64_t peakBytes = 0;
  double seconds = 0;
  double lowerBoundSeconds = 0;
  std::vector<ScheduledOp> schedule;
};

/// Schedules from the smallest peak to the shortest time, none of them
/// dominated: peaks rise, times fall.
struct RecomputeFrontier {
  std::vector<FrontierPoint> points;
  int64_t floorBytes = 0;          ///< No schedule has a smaller peak.
  int64_t keepEverythingBytes = 0; ///< The peak of the order as given.
};

/// The frontier at `points` budgets or fewer, dense where it bends.
RecomputeFrontier computeFrontier(const RecomputeProblem &problem,
                                  const RecomputeOptions &options = {},
                                  int32_t points = 33);

/// All plans that the solver knows for a program, whatever the budget. Made
/// once; schedules and bounds are worked out when asked for.
class RecomputePool {
public:
  /// `problem` has to outlive the pool.
  explicit RecomputePool(const RecomputeProblem &problem,
                         const RecomputeOptions &options = {});
  RecomputePool(RecomputePool &&);
  RecomputePool &operator=(RecomputePool &&);
  ~RecomputePool();

  struct Plan {
    int64_t peakBytes = 0; ///< Or less.
    double seconds = 0;
  };
  /// Peaks rise, times fall; the first has the smallest peak.
  std::vector<Plan> getPlans() const;
  std::vector<ScheduledOp> getSchedule(size_t plan) const;
  /// As boundRecompute.
  RecomputeBound getBound(int64_t budgetBytes);
  /// The peak of the order as given.
  int64_t getKeepEverythingBytes() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The peak of the order as given.
int64_t getKeepEverythingBytes(const RecomputeProblem &problem);

/// The bound alone. Takes no plan into account.
RecomputeBound boundRecompute(const RecomputeProblem &problem,
                              int64_t budgetBytes);

} // namespace nlp::solver

#endif // NLP_SOLVER_RECOMPUTE_H
