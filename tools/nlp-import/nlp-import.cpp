//===- nlp-import.cpp - A model's forward graph as MLIR -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the graph phase: parameters, and one forward segment that ends in the
// loss. Locations are printed, since they hold the places by which users know
// the ops. Weights are not read.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Import/LoadModel.h"
#include "nlp/Pipelines/CompileSession.h"
#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Support/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace mlir;
using namespace nlp;

static constexpr const char *kTool = "nlp-import";

/// Says in a line what was imported.
static void report(ModuleOp module) {
  llvm::outs() << "parameters " << countParameters(module);
  for (auto step : module.getOps<StepOp>())
    if (ModelAttr model = step.getModelAttr())
      llvm::outs() << ", vocabulary " << model.getVocabSize()
                   << ", sequence length " << model.getSeqLen()
                   << ", global batch " << model.getGlobalBatch();
  llvm::outs() << "\n";
}

int main(int argc, char **argv) {
  CLI::App app("Writes a model's forward graph, with its loss, as MLIR.",
               kTool);
  app.set_version_flag("--version", std::string(kTool) + " " NLP_VERSION);
  ModelArguments arguments;
  addModelOptions(app, arguments);
  std::string output;
  app.add_option("-o", output, "the graph; - is standard output")
      ->type_name("FILE")
      ->required();
  if (std::optional<int> code = parseCommandLine(app, argc, argv))
    return *code;

  std::unique_ptr<MLIRContext> context = createContext();
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      loadModel(arguments.model, arguments.options, context.get());
  if (!module)
    return reportError(kTool, module.takeError());

  if (llvm::Error error = writeFileAtomically(output, printModule(**module)))
    return reportError(kTool, std::move(error));
  // Standard output may be where the graph went.
  if (output != "-")
    report(**module);
  return 0;
}
