//===- ModelOptions.cpp - Command lines that take a model -----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Pipelines/Pipelines.h"
#include "nlp/Pipelines/PlanSession.h"
#include "nlp/Support/Escape.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <csignal>

using namespace nlp;

void nlp::addModelOptions(CLI::App &app, ModelArguments &arguments) {
  app.add_option("MODEL", arguments.model,
                 "Hugging Face directory, its config.json, or an .mlir file")
      ->required();
  ImportOptions &options = arguments.options;
  // Ranges are the importer's to check, so that there is one message for each.
  app.add_option("--seq-len", options.seqLen,
                 "tokens per sequence; default: the model's maximum")
      ->type_name("N");
  app.add_option("--global-batch", options.globalBatch,
                 "sequences per optimizer step; default: 1")
      ->type_name("N");
  app.add_option("--task", options.task,
                 "what to train: causal-lm; default: from the config")
      ->type_name("TASK");
  app.add_option("--dropout", options.dropout,
                 "replaces all dropout rates; default: the config's")
      ->type_name("P");
}

std::optional<int> nlp::parseCommandLine(CLI::App &app, int argc, char **argv) {
  // A limit on the size of files is an error of write, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    llvm::errs() << app.get_name() << ": error: " << escapeLines(error.what())
                 << "\n";
    return 2;
  }
  return std::nullopt;
}

std::unique_ptr<mlir::MLIRContext> nlp::createContext() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  auto context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  // A place and a sentence, not a module of thousands of lines.
  context->printOpOnDiagnostic(false);
  return context;
}

int nlp::reportError(llvm::StringRef tool, llvm::Error error) {
  int code = error.isA<UsageError>() ? 2 : error.isA<MisfitError>() ? 3 : 1;
  llvm::errs() << tool
               << ": error: " << escapeLines(llvm::toString(std::move(error)))
               << "\n";
  return code;
}
