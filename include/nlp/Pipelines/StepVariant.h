//===- StepVariant.h - A step whose shapes are decided ----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner decides in two rounds. First what changes shapes (micro-batch,
// loss chunks, partition, precision), which is applied at once; then, on the
// graph that will run, what to keep and what to recompute.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_STEPVARIANT_H
#define NLP_PIPELINES_STEPVARIANT_H

#include "nlp/Pipelines/PlanSession.h"
#include "nlp/Planner/StorageProblem.h"
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace nlp {

/// The micro-batches to try, from large to small.
mlir::SmallVector<int64_t> getMicroBatches(StepOp step,
                                           const PlanRequest &request);

/// The numbers of loss chunks to try, from few to many, where a micro-batch has
/// `tokens` tokens.
mlir::SmallVector<int64_t> getLossChunks(int64_t tokens,
                                         const PlanRequest &request);

/// One choice of shapes, and plans for its storage.
class StepVariant {
public:
  static constexpr int64_t kAnyBytes = std::numeric_limits<int64_t>::max();

  /// Plans the shapes of a copy of `joint` with these choices and applies them.
  static llvm::Expected<StepVariant> create(mlir::ModuleOp joint,
                                            const PlanRequest &request,
                                            int64_t microBatch,
                                            int64_t lossChunks);

  /// Seconds of a step whose forward and backward pass of one micro-batch takes
  /// `passSeconds`.
  double getStepSeconds(double passSeconds) const {
    return static_cast<double>(microBatches) * passSeconds + updateCost.seconds;
  }
  /// Of a step that recomputes nothing.
  BlockCost getKeepAllCost() const;

  /// Whether there is anything to choose.
  bool hasChoices() const { return problem && !problem->ops.empty(); }

  /// The peak, as the solver counts, where everything is kept.
  int64_t getKeepAllBytes() const { return keepAllBytes; }

  /// A plan of the solver's pool, by its number there.
  struct StoragePlan {
    size_t number = 0;
    int64_t peakBytes = 0;
    double passSeconds = 0;
  };
  /// Plans from the smallest peak to the shortest time, spread over the budgets
  /// between the two; they do not depend on a budget. Worked out when first
  /// asked for, which takes most of a variant's time.
  const std::vector<StoragePlan> &getPlans();

  /// The passes as the solver sees them, and the schedule of a plan.
  const StorageProblem &getProblem() const { return *problem; }
  std::vector<solver::ScheduledOp> getSchedule(const StoragePlan &plan) const {
    return pool->getSchedule(plan.number);
  }

  /// No plan within `budgetBytes` is faster.
  double getLowerBoundSeconds(int64_t budgetBytes);

  /// No plan takes less memory.
  int64_t getFloorBytes() const;

  /// Carries `plan` through to its packed arena: one of the above, or what the
  /// request fixes, or else the plan that keeps everything. What needs more
  /// than `mostBytes` is not packed.
  llvm::Expected<PlannedStep> evaluate(const StoragePlan *plan = nullptr,
                                       int64_t mostBytes = kAnyBytes);

  /// The same of the plan that keeps only what goes into each block; none
  /// where the model has no blocks.
  llvm::Expected<std::optional<PlannedStep>>
  evaluateBlocks(int64_t mostBytes = kAnyBytes);

private:
  void findChoices(StepOp step);
  llvm::Expected<PlannedStep> carryThrough(int64_t mostBytes);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  const PlanRequest *request = nullptr;
  /// On the heap, where the pool finds it however the variant moves.
  std::unique_ptr<StorageProblem> problem;
  std::optional<solver::RecomputePool> pool;
  std::vector<StoragePlan> plans;
  int64_t microBatches = 1;
  int64_t keepAllBytes = 0;
  BlockCost passCost, updateCost;
};

} // namespace nlp

#endif // NLP_PIPELINES_STEPVARIANT_H
