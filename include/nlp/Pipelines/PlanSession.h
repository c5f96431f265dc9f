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
#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"
#include "nlp/Machine/Machine.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace nlp {

/// What the user fixes of a plan; what is not set is the planner's choice.
struct PlanRequest {
  Machine machine;
  int64_t devices = 1;
  std::optional<int64_t> budgetBytes; // of each device; default: its memory
  std::string numerics = "exact";
  std::optional<int64_t> dp, tp, pp, cp, ep, zero, microBatch, lossChunks;
  std::optional<std::string> schedule;
  std::vector<int64_t> stageLayers;
  bool sequenceParallel = false;
  std::string recompute = "auto";
  std::string optimizer = "adamw";
  bool clip = true;
  int64_t threads = 0; // that workspaces are planned for; 0: all cores
};

/// A step at the end of planning: where it stands in memory and time.
struct PlannedStep {
  mlir::OwningOpRef<mlir::ModuleOp> planned; ///< The `planned` phase.
  mlir::OwningOpRef<mlir::ModuleOp> runtime; ///< Its arena: the proof.
  rt::MemoryReport memory;
  double stepSeconds = 0;
  double keepAllSeconds = 0; ///< The same step with nothing recomputed.
  double modelFlops = 0, hardwareFlops = 0; ///< Of matrix units, a step.
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

/// Brings `module` (graph, joint or planned) to the joint phase.
llvm::Error lowerToJoint(mlir::ModuleOp module, const PlanRequest &request);

/// Plans `module` and packs the arena of each candidate until one fits the
/// budget: the largest micro-batch first, since it is the fastest. A module
/// that already has a plan keeps it.
llvm::Expected<PlanResult> planModel(mlir::ModuleOp module,
                                     const PlanRequest &request);

/// Runs the passes that `build` adds; their diagnostics, with user-level
/// places, become the error.
llvm::Error runPasses(mlir::ModuleOp module,
                      llvm::function_ref<void(mlir::OpPassManager &)> build);

/// Lowers a planned module (or one of a later phase) to the runtime phase, its
/// plan's report attached for the binary to print.
llvm::Error lowerToRuntime(mlir::ModuleOp module, const PlanRequest &request);

} // namespace nlp

#endif // NLP_PIPELINES_PLANSESSION_H
