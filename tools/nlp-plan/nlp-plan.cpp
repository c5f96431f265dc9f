//===- nlp-plan.cpp - Plans a training step and says why ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Import/LoadModel.h"
#include "nlp/Pipelines/CompileSession.h"
#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Pipelines/PlanOptions.h"
#include "nlp/Pipelines/PlanPage.h"
#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Support/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace mlir;
using namespace nlp;

static constexpr const char *kTool = "nlp-plan";

/// What the user wants written beside the table; empty: not.
struct Outputs {
  std::string planned, json, html, frontier;
};

/// A model that comes with its plan has no other plans.
static bool isPlanned(ModuleOp module) {
  return llvm::any_of(module.getOps<StepOp>(),
                      [](StepOp step) { return step.getPlan().has_value(); });
}

/// The frontier as CSV and within the page, whether the plan fits or not.
static llvm::Error writeFrontierAndPage(const Outputs &outputs,
                                        const ModelArguments &model,
                                        const PlanArguments &plan,
                                        const PlanResult &result,
                                        MLIRContext *context) {
  if (outputs.frontier.empty() && outputs.html.empty())
    return llvm::Error::success();
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      loadModel(model.model, model.options, context);
  if (!module)
    return module.takeError();
  std::vector<FrontierRow> rows;
  if (!outputs.frontier.empty() || !isPlanned(**module)) {
    llvm::Expected<std::vector<FrontierRow>> planned =
        planFrontier(**module, plan.request);
    if (!planned)
      return planned.takeError();
    rows = std::move(*planned);
  }
  if (!outputs.frontier.empty())
    if (llvm::Error error =
            writeFileAtomically(outputs.frontier, renderFrontier(rows)))
      return error;
  if (!outputs.html.empty())
    return writeFileAtomically(outputs.html, renderPlanPage(result, rows));
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  CLI::App app("Decides how to fit a model's training step into memory.",
               kTool);
  app.set_version_flag("--version", std::string(kTool) + " " NLP_VERSION);
  ModelArguments model;
  PlanArguments plan;
  Outputs outputs;
  addModelOptions(app, model);
  addPlanOptions(app, plan);
  app.add_option("-o", outputs.planned, "the planned module")
      ->type_name("FILE");
  app.add_option("--json", outputs.json, "the plan as JSON")->type_name("FILE");
  app.add_option(
         "--html", outputs.html,
         "the plan as a page: memory timeline, frontier, largest values")
      ->type_name("FILE");
  app.add_option("--frontier", outputs.frontier,
                 "peak and time of the plans for all budgets, as CSV")
      ->type_name("FILE");
  if (std::optional<int> code = parseCommandLine(app, argc, argv))
    return *code;

  std::unique_ptr<MLIRContext> context = createContext();
  llvm::Expected<PlanResult> result = planArguments(model, plan, context.get());
  if (!result)
    return reportError(kTool, result.takeError());

  if (!outputs.json.empty())
    if (llvm::Error error =
            writeFileAtomically(outputs.json, renderPlanJson(*result)))
      return reportError(kTool, std::move(error));
  if (llvm::Error error =
          writeFrontierAndPage(outputs, model, plan, *result, context.get()))
    return reportError(kTool, std::move(error));
  if (llvm::Error error = checkFits(*result))
    return reportError(kTool, std::move(error));
  if (!outputs.planned.empty())
    if (llvm::Error error = writeFileAtomically(
            outputs.planned, printModule(*result->step.planned)))
      return reportError(kTool, std::move(error));
  if (llvm::Error error = writeFileAtomically("-", renderPlanTable(*result)))
    return reportError(kTool, std::move(error));
  return 0;
}
