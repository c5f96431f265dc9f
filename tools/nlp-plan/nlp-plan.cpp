//===- nlp-plan.cpp - Plans a training step and says why ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/CompileSession.h"
#include "nlp/Pipelines/ModelOptions.h"
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

  std::unique_ptr<MLIRContext> context = createContext();
  llvm::Expected<PlanResult> result = planArguments(model, plan, context.get());
  if (!result)
    return reportError(kTool, result.takeError());

  if (!json.empty())
    if (llvm::Error error = writeFileAtomically(json, renderPlanJson(*result)))
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
