//===- ModelOptions.h - Command lines that take a model -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What nlp-import, nlp-plan and nlp-train have in common: the MODEL argument,
// the options that shape its graph, the context to load it in, and how errors
// leave.
//
//   ModelArguments arguments;
//   CLI::App app("Does this.", "nlp-this");
//   addModelOptions(app, arguments);
//   if (std::optional<int> code = parseCommandLine(app, argc, argv))
//     return *code;
//   std::unique_ptr<MLIRContext> context = createContext();
//   auto module = loadModel(arguments.model, arguments.options, context.get());
//   if (!module)
//     return reportError("nlp-this", module.takeError());
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_MODELOPTIONS_H
#define NLP_PIPELINES_MODELOPTIONS_H

#include "mlir/IR/MLIRContext.h"
#include "nlp/Import/ImportOptions.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace CLI {
class App;
} // namespace CLI

namespace nlp {

/// A model and how its graph is to be.
struct ModelArguments {
  std::string model;
  ImportOptions options;
};

/// Adds MODEL, which is required, and the options of `arguments`, which must
/// outlive the parse.
void addModelOptions(CLI::App &app, ModelArguments &arguments);

/// Parses the command line. The exit code to leave with, if the tool is to go
/// no further: 0 after --help and --version, 2 for wrong usage.
std::optional<int> parseCommandLine(CLI::App &app, int argc, char **argv);

/// A context that knows all dialects, on one thread: what a tool holds in
/// memory is one graph.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Prints "tool: error: ..." and returns the exit code: 2 for a UsageError, 3
/// for a MisfitError, 1 for anything else.
int reportError(llvm::StringRef tool, llvm::Error error);

} // namespace nlp

#endif // NLP_PIPELINES_MODELOPTIONS_H
