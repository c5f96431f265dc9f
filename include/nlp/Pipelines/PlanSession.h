//===- PlanSession.h - From a model to a plan that fits ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_PLANSESSION_H
#define NLP_PIPELINES_PLANSESSION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "nlp/Analysis/StepTime.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"
#include "nlp/Machine/Machine.h"
#include "nlp/Planner/Passes.h"
#include "llvm/Support/Error.h"
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace nlp {

/// What the user fixes of a plan; what is not set is the planner's choice.
struct PlanRequest {
  Machine machine;
  int64_t devices = 1;
  std::optional<int64_t> budgetBytes; // of each device; default: its memory
  std::optional<int64_t> dp, tp, pp, cp, ep, zero, microBatch, lossChunks;
  std::optional<std::string> schedule, optimizer, numerics;
  std::optional<bool> clip, sequenceParallel;
  std::vector<int64_t> stageLayers;
  std::string recompute = "auto";
  int64_t threads = 0; // that workspaces are planned for; 0: all cores
};

/// A step at the end of planning: where it stands in memory and time.
struct PlannedStep {
  mlir::OwningOpRef<mlir::ModuleOp> planned; ///< The `planned` phase.
  mlir::OwningOpRef<mlir::ModuleOp> runtime; ///< Its arena: the proof.
  rt::MemoryReport memory;
  double stepSeconds = 0;
  /// Of the same step with nothing recomputed; worked out where it is not
  /// known.
  std::optional<BlockCost> keepAllCost;
  /// No plan of the same shapes and order within the budget is faster.
  double lowerBoundSeconds = 0;
  double hardwareFlops = 0; ///< Of matrix units, a step.

  double getKeepAllSeconds() const { return keepAllCost->seconds; }
};

/// An error where a request is sound but does not fit its budget: exit code 3.
class MisfitError : public llvm::ErrorInfo<MisfitError> {
public:
  static char ID;

  explicit MisfitError(std::string message) : text(std::move(message)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string text;
};

struct PlanResult {
  PlannedStep step; ///< The plan, or the smallest tried where none fits.
  bool feasible = false;
  int64_t budgetBytes = 0;
  int64_t minFeasibleBytes = 0; ///< Under the same constraints.
  double searchSeconds = 0;
  /// What would make the request fit, in words, with bytes.
  std::vector<std::string> relaxations;
};

/// Chunks of the loss of `step`: those that are carried out, times those that
/// its plan still asks for.
int64_t countLossChunks(StepOp step);

/// Fails where options contradict one another or the joint or planned `step`
/// (UsageError), or ask for what is not supported.
llvm::Error checkRequest(StepOp step, const PlanRequest &request);

/// Brings `module` (graph, joint or planned) to the joint phase.
llvm::Error lowerToJoint(mlir::ModuleOp module, const PlanRequest &request);

/// Finds the fastest plan for `module` whose packed arena fits the budget. A
/// module that already has a plan keeps it, and its budget unless `request` has
/// one.
llvm::Expected<PlanResult> planModel(mlir::ModuleOp module,
                                     const PlanRequest &request);

/// A MisfitError unless the plan keeps its budget.
llvm::Error checkFits(const PlanResult &result);

/// Options of `-nlp-plan` for one choice of shapes; 0 leaves a choice open.
PlanOptions getPlanOptions(const PlanRequest &request, int64_t microBatch,
                           int64_t lossChunks);

/// Fills in what follows from `step.planned`: arena, time, flops. Where more
/// than `mostBytes` are live together nothing is packed, and those bytes stand
/// for the arena. The arena is not verified.
llvm::Error
evaluatePlan(PlannedStep &step, const PlanRequest &request,
             int64_t mostBytes = std::numeric_limits<int64_t>::max());

/// Runs the passes that `build` adds; their diagnostics, with user-level
/// places, become the error. One of many candidates need not be verified: the
/// one that is taken is.
llvm::Error runPasses(mlir::ModuleOp module,
                      llvm::function_ref<void(mlir::OpPassManager &)> build,
                      bool verifies = true);

/// Lowers a module of any phase to the runtime phase, its plan's report
/// attached for the binary to print; after the applied phase there is no plan
/// to report. A MisfitError where the plan does not keep its budget.
llvm::Error lowerToRuntime(mlir::ModuleOp module, const PlanRequest &request);

} // namespace nlp

#endif // NLP_PIPELINES_PLANSESSION_H
