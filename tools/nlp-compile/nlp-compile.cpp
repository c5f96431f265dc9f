//===- nlp-compile.cpp - Compiles a planned module into a training binary -===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Import/LoadModel.h"
#include "nlp/Pipelines/CompileSession.h"
#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Pipelines/PlanOptions.h"
#include <CLI/CLI.hpp>

using namespace mlir;
using namespace nlp;

static constexpr const char *kTool = "nlp-compile";

static const std::map<std::string, EmitPhase> phases = {
    {"joint", EmitPhase::Joint},     {"planned", EmitPhase::Planned},
    {"applied", EmitPhase::Applied}, {"runtime", EmitPhase::Runtime},
    {"llvm", EmitPhase::LLVM},       {"obj", EmitPhase::Object},
    {"exe", EmitPhase::Binary}};

int main(int argc, char **argv) {
  CLI::App app("Compiles a model into a training binary, or up to a phase.",
               kTool);
  app.set_version_flag("--version", std::string(kTool) + " " NLP_VERSION);
  std::string input, output;
  PlanArguments plan;
  CompileRequest request;
  app.add_option(
         "MODULE", input,
         "Hugging Face directory, its config.json, or an .mlir file of any "
         "phase; what is open is planned")
      ->required();
  app.add_option("-o", output, "what to write")->type_name("FILE")->required();
  app.add_option("--target", request.target, "cpu");
  app.add_option(
         "--emit", request.emit,
         "joint, planned, applied, runtime, llvm, obj or exe: the phase "
         "of MODULE or a later one; default: exe")
      ->type_name("PHASE")
      ->transform(CLI::Validator(
          [](std::string &text) -> std::string {
            auto found = phases.find(text);
            if (found == phases.end())
              return "expected joint, planned, applied, runtime, llvm, obj or "
                     "exe, but got '" +
                     text + "'";
            text = std::to_string(static_cast<int>(found->second));
            return "";
          },
          ""));
  app.add_option("--threads", plan.request.threads,
                 "threads that workspaces are planned for; default: all cores")
      ->check(CLI::Range(1, 4096));
  if (std::optional<int> code = parseCommandLine(app, argc, argv))
    return *code;
  if (llvm::Error error = resolvePlanOptions(plan))
    return reportError(kTool, std::move(error));
  request.plan = plan.request;

  std::unique_ptr<MLIRContext> context = createContext();
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      loadModel(input, ImportOptions(), context.get());
  if (!module)
    return reportError(kTool, module.takeError());
  if (llvm::Error error = compileModule(**module, request, output))
    return reportError(kTool, std::move(error));
  return 0;
}
