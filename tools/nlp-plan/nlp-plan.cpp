//===- nlp-plan.cpp - Plans a training step and says why ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Import/LoadModel.h"
#include "nlp/Pipelines/CompileSession.h"
#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Pipelines/PlanFrontier.h"
#include "nlp/Pipelines/PlanOptions.h"
#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Support/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace mlir;
using namespace nlp;

static constexpr const char *kTool = "nlp-plan";

/// Plans for all budgets, whether the one asked for does or not.
static llvm::Error writeFrontier(const std::string &path,
                                 const ModelArguments &model,
                                 const PlanArguments &plan,
                                 MLIRContext *context) {
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      loadModel(model.model, model.options, context);
  if (!module)
    return module.takeError();
  llvm::Expected<std::vector<FrontierRow>> rows =
      planFrontier(**module, plan.request);
  if (!rows)
    return rows.takeError();
  return writeFileAtomically(path, renderFrontier(*rows));
}

int main(int argc, char **argv) {
  CLI::App app("Decides how to fit a model's training step into memory.",
               kTool);
  app.set_version_flag("--version", std::string(kTool) + " " NLP_VERSION);
  ModelArguments model;
  PlanArguments plan;
  std::string output, json, frontier;
  addModelOptions(app, model);
  addPlanOptions(app, plan);
  app.add_option("-o", output, "the planned module")->type_name("FILE");
  app.add_option("--json", json, "the plan as JSON")->type_name("FILE");
  app.add_option("--frontier", frontier,
                 "peak and time of the plans for all budgets, as CSV")
      ->type_name("FILE");
  if (std::optional<int> code = parseCommandLine(app, argc, argv))
    return *code;

  std::unique_ptr<MLIRContext> context = createContext();
  llvm::Expected<PlanResult> result = planArguments(model, plan, context.get());
  if (!result)
    return reportError(kTool, result.takeError());

  if (!json.empty())
    if (llvm::Error error = writeFileAtomically(json, renderPlanJson(*result)))
      return reportError(kTool, std::move(error));
  if (!frontier.empty())
    if (llvm::Error error = writeFrontier(frontier, model, plan, context.get()))
      return reportError(kTool, std::move(error));
  if (llvm::Error error = checkFits(*result))
    return reportError(kTool, std::move(error));
  if (!output.empty())
    if (llvm::Error error =
            writeFileAtomically(output, printModule(*result->step.planned)))
      return reportError(kTool, std::move(error));
  if (llvm::Error error = writeFileAtomically("-", renderPlanTable(*result)))
    return reportError(kTool, std::move(error));
  return 0;
}
