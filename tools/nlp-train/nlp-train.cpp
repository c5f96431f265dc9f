//===- nlp-train.cpp - Import, plan, compile, train -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of the model and the plan are this tool's; all others go to the
// training binary, whose parser checks them before anything is planned.
// Binaries are cached by the content of the planned module and of the compiler
// itself.
//
//===----------------------------------------------------------------------===//

#include "core/Options.h"
#include "nlp/Pipelines/BinaryCache.h"
#include "nlp/Pipelines/CompileSession.h"
#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Pipelines/PlanOptions.h"
#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <set>
#include <unistd.h>

using namespace mlir;
using namespace nlp;

static constexpr const char *kTool = "nlp-train";

/// Writes the intermediate files that --keep asks for.
static llvm::Error keepFiles(llvm::StringRef folder, const PlanResult &result) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return makeError(folder + ": " + code.message());
  std::string base = folder.str() + "/";
  if (llvm::Error error = writeFileAtomically(
          base + "planned.mlir", printModule(*result.step.planned)))
    return error;
  if (llvm::Error error = writeFileAtomically(
          base + "runtime.mlir", printModule(*result.step.runtime)))
    return error;
  return writeFileAtomically(base + "plan.json", renderPlanJson(result));
}

/// The command line of a training binary, whose messages go by the name that
/// the user knows; null at the end.
static std::vector<char *>
makeCommand(const std::vector<std::string> &arguments) {
  std::vector<char *> argv = {const_cast<char *>(kTool)};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

/// Becomes the training binary. Returns only on failure.
static llvm::Error execute(const std::string &binary,
                           const std::vector<std::string> &arguments) {
  execv(binary.c_str(), makeCommand(arguments).data());
  return makeError(binary + ": " + std::string(strerror(errno)));
}

/// `--schedule` names a pipeline's schedule or a learning rate's: the value
/// tells. Moves those of the learning rate from `arguments` to the result.
static llvm::Expected<std::vector<std::string>>
takeRateSchedules(std::vector<std::string> &arguments) {
  static const std::set<llvm::StringRef> rates = {"cosine", "linear",
                                                  "constant", "wsd"};
  static const std::set<llvm::StringRef> pipelines = {
      "gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2"};
  std::vector<std::string> taken, rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef value = arguments[i];
    bool apart = value == "--schedule" && i + 1 < arguments.size();
    if (apart) {
      value = arguments[++i];
    } else if (!value.consume_front("--schedule=")) {
      rest.push_back(arguments[i]);
      continue;
    }
    if (!rates.count(value) && !pipelines.count(value.split(':').first))
      return llvm::make_error<UsageError>(
          "--schedule: expected a pipeline's (gpipe, 1f1b, interleaved:V, "
          "zb-h1 or zb-h2) or a learning rate's (cosine, linear, constant or "
          "wsd), but got '" +
          value + "'");
    (rates.count(value) ? taken : rest).push_back("--schedule=" + value.str());
  }
  arguments = std::move(rest);
  return taken;
}

/// An exit code if the options of the training run are wrong, or if they ask
/// for help only.
static std::optional<int> checkRun(const std::string &model,
                                   const std::vector<std::string> &arguments,
                                   bool needsData) {
  std::vector<char *> argv = makeCommand(arguments);
  return nlprt::checkOptions(
      model, static_cast<int>(argv.size()) - 1, argv.data(), needsData,
      "nlp-train MODEL --run-help lists the options of a training run\n");
}

int main(int argc, char **argv) {
  CLI::App app(
      "Trains a model: import, plan, compile, launch. Options that are "
      "not listed here go to the training binary: --data, --steps, "
      "--lr, … (see `nlp-train MODEL --run-help`).",
      kTool);
  app.set_version_flag("--version", std::string(kTool) + " " NLP_VERSION);
  app.allow_extras();
  ModelArguments model;
  PlanArguments plan;
  bool planOnly = false, runHelp = false;
  std::string keep;
  addModelOptions(app, model);
  addPlanOptions(app, plan);
  app.add_flag("--plan-only", planOnly, "stop after the plan");
  app.add_flag("--run-help", runHelp, "show the training binary's options");
  app.add_option("--keep", keep, "keep intermediate files here")
      ->type_name("DIR");
  std::vector<std::string> typed(argv, argv + argc);
  llvm::Expected<std::vector<std::string>> rates = takeRateSchedules(typed);
  if (!rates)
    return reportError(kTool, rates.takeError());
  std::vector<char *> words;
  for (std::string &word : typed)
    words.push_back(word.data());
  if (std::optional<int> code =
          parseCommandLine(app, words.size(), words.data()))
    return *code;
  std::vector<std::string> runArguments = std::move(*rates);
  llvm::append_range(runArguments, app.remaining());
  if (plan.request.threads > 0)
    runArguments.push_back("--threads=" + std::to_string(plan.request.threads));
  if (runHelp)
    runArguments = {"--help"};
  if (std::optional<int> code = checkRun(model.model, runArguments, !planOnly))
    return *code;

  std::unique_ptr<MLIRContext> context = createContext();
  llvm::Expected<PlanResult> result = planArguments(model, plan, context.get());
  if (!result)
    return reportError(kTool, result.takeError());
  if (!keep.empty())
    if (llvm::Error error = keepFiles(keep, *result))
      return reportError(kTool, std::move(error));
  if (llvm::Error error = checkFits(*result))
    return reportError(kTool, std::move(error));
  if (llvm::Error error = writeFileAtomically("-", renderPlanTable(*result)))
    return reportError(kTool, std::move(error));
  if (planOnly)
    return 0;

  CompileRequest request;
  request.plan = plan.request;
  llvm::Expected<std::string> binary = compileCached(*result, request);
  if (!binary)
    return reportError(kTool, binary.takeError());
  return reportError(kTool, execute(*binary, runArguments));
}
