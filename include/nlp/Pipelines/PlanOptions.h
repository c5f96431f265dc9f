//===- PlanOptions.h - Command-line options of a plan ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_PLANOPTIONS_H
#define NLP_PIPELINES_PLANOPTIONS_H

#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Pipelines/PlanSession.h"

namespace CLI {
class App;
} // namespace CLI

namespace nlp {

/// The plan options as they were typed.
struct PlanArguments {
  std::string machine;                // empty: this machine
  std::string memoryBudget;           // a size or a percentage
  std::string clip, sequenceParallel; // on, off or empty: not given
  PlanRequest request;
};

/// Adds the plan options of nlp-plan, nlp-train and nlp-compile.
void addPlanOptions(CLI::App &app, PlanArguments &arguments);

/// Loads the machine and resolves the budget. Errors of the command line are
/// UsageErrors.
llvm::Error resolvePlanOptions(PlanArguments &arguments);

/// Resolves `plan`, loads `model` and plans it: how nlp-plan and nlp-train
/// begin.
llvm::Expected<PlanResult> planArguments(const ModelArguments &model,
                                         PlanArguments &plan,
                                         mlir::MLIRContext *context);

} // namespace nlp

#endif // NLP_PIPELINES_PLANOPTIONS_H
