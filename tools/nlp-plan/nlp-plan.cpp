//===- nlp-plan.cpp - Plans a training step and says why ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Import/LoadModel.h"
#include "nlp/Pipelines/CompileSession.h"
#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Pipelines/Pipelines.h"
#include "nlp/Pipelines/PlanOptions.h"
#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Support/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace mlir;
using namespace nlp;

static constexpr const char *kTool = "nlp-plan";

int main(int argc, char **argv) {
  CLI::App app("Decides how to fit a model's training step into memory.",
               kTool);
  app.set_version_flag("--version", std::string(kTool) + " " NLP_VERSION);
  ModelArguments model;
  PlanArguments plan;
  std::string output, json;
  addModelOptions(app, model);
  addPlanOptions(app, plan);
  app.add_option("-o", output, "the planned module")->type_name("FILE");
  app.add_option("--json", json, "the plan as JSON")->type_name("FILE");
  if (std::optional<int> code = parseCommandLine(app, argc, argv))
    return *code;
  if (llvm::Error error = resolvePlanOptions(plan))
    return reportError(kTool, std::move(error));

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      loadModel(model.model, model.options, &context);
  if (!module)
    return reportError(kTool, module.takeError());
  llvm::Expected<PlanResult> result = planModel(**module, plan.request);
  if (!result)
    return reportError(kTool, result.takeError());

  if (!json.empty())
    if (llvm::Error error = writeFileAtomically(json, renderPlanJson(*result)))
      return reportError(kTool, std::move(error));
  if (!result->feasible) {
    llvm::errs() << kTool << ": error: " << renderMisfit(*result);
    return 3;
  }
  if (!output.empty())
    if (llvm::Error error =
            writeFileAtomically(output, printModule(*result->step.planned)))
      return reportError(kTool, std::move(error));
  llvm::outs() << renderPlanTable(*result);
  return 0;
}
