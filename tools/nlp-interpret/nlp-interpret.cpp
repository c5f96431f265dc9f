//===- nlp-interpret.cpp - The reference interpreter as a tool --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"
#include "nlp/Pipelines/Pipelines.h"
#include "nlp/Reference/CompareRuns.h"
#include "nlp/Reference/SafeTensors.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Escape.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include <list>
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;
using llvm::Error;
using llvm::Expected;

static int reportError(Error error) {
  llvm::errs() << "nlp-interpret: error: "
               << escapeLines(toString(std::move(error))) << "\n";
  return 1;
}

/// Whether a module has tensors still; says where not.
static bool isInterpretable(const std::string &path, ModuleOp module) {
  bool isRuntime = !module.getOps<rt::ProgramOp>().empty();
  if (!isRuntime && !module.lookupSymbol("nlprt_compiled_program"))
    return true;
  reportError(makeError(path +
                        ": expected a module of the applied phase or an "
                        "earlier one, but got one of the " +
                        (isRuntime ? "runtime" : "llvm") + " phase"));
  return false;
}

namespace {
/// Parsed modules, with what their diagnostics need.
class Modules {
public:
  Modules() : context(makeRegistry()) { context.printOpOnDiagnostic(false); }

  /// Parses and verifies `path`; null after a diagnostic.
  OwningOpRef<ModuleOp> parse(const std::string &path) {
    Source &source = sources.emplace_back(&context);
    auto module = parseSourceFile<ModuleOp>(path, source.manager, &context);
    if (!module || isInterpretable(path, *module))
      return module;
    return nullptr;
  }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  /// The text of a module, which diagnostics quote.
  struct Source {
    explicit Source(MLIRContext *context) : handler(manager, context) {}

    llvm::SourceMgr manager;
    SourceMgrDiagnosticHandler handler;
  };

  MLIRContext context;
  std::list<Source> sources;
};
} // namespace

/// {"step":1,"loss":2.5,"grad_norm":0.1,"lr":0.001}: figures that the step does
/// not report are left out, those that are no number are null.
static std::string getMetricsLine(const StepRecord &record) {
  nlohmann::ordered_json line = {{"step", record.step}};
  if (record.figures.loss)
    line["loss"] = *record.figures.loss;
  if (record.figures.gradNorm)
    line["grad_norm"] = *record.figures.gradNorm;
  line["lr"] = record.learningRate;
  return line.dump() + "\n";
}

static void printStep(const StepRecord &record) {
  llvm::outs() << "step " << record.step;
  if (record.figures.loss)
    llvm::outs() << " loss " << llvm::format("%.9g", *record.figures.loss);
  if (record.figures.gradNorm)
    llvm::outs() << " grad_norm "
                 << llvm::format("%.9g", *record.figures.gradNorm);
  llvm::outs() << "\n";
}

/// Writes the files that `options` ask for.
static Error writeResults(const InterpretOptions &options,
                          const RunResult &result) {
  std::string metrics;
  for (const StepRecord &record : result.steps)
    metrics += getMetricsLine(record);
  if (!options.metrics.empty())
    if (Error error = writeFileAtomically(options.metrics, metrics))
      return error;
  if (!options.saveGradients.empty())
    if (Error error =
            writeSafeTensors(options.saveGradients, result.firstGradients))
      return error;
  if (!options.save.empty())
    return writeSafeTensors(options.save, result.parameters);
  return Error::success();
}

/// Whether any segment has gradients.
static bool hasBackward(ModuleOp module) {
  return module
      .walk([](SegmentOp segment) {
        SegmentKind kind = segment.getKind();
        return kind == SegmentKind::Forward || kind == SegmentKind::Evaluate
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

static int checkGradients(ModuleOp module, const InterpretOptions &options) {
  if (!hasBackward(module))
    return reportError(
        makeError("--check-gradients: expected a module with a backward pass, "
                  "but got one of the graph phase: run nlp-opt "
                  "-nlp-to-joint first"));
  Expected<StepInterpreter> interpreter = prepareRun(module, options.run);
  if (!interpreter)
    return reportError(interpreter.takeError());
  Expected<TokenStream> stream = TokenStream::open(options.run, *interpreter);
  if (!stream)
    return reportError(stream.takeError());
  FailureOr<bool> good =
      ref::checkGradients(*interpreter, getStepInput(options.run, *stream, 1),
                          *options.check, llvm::outs());
  return succeeded(good) && *good ? 0 : 1;
}

static int runModules(ModuleOp module, ModuleOp other,
                      const InterpretOptions &options) {
  Expected<RunResult> result = runTraining(module, options.run, printStep);
  if (!result)
    return reportError(result.takeError());
  if (Error error = writeResults(options, *result))
    return reportError(std::move(error));
  if (!other)
    return 0;
  Expected<RunResult> wanted =
      runTraining(other, options.run, [](const StepRecord &) {});
  if (!wanted)
    return reportError(wanted.takeError());
  return compareRuns(*result, *wanted, options.tolerance, llvm::outs()) ? 0 : 1;
}

int main(int argc, char **argv) {
  InterpretOptions options;
  if (std::optional<int> code = parseOptions(argc, argv, options))
    return *code;
  Modules modules;
  OwningOpRef<ModuleOp> module = modules.parse(options.module), other;
  if (!module)
    return 1;
  if (options.check)
    return checkGradients(*module, options);
  if (!options.compare.empty() && !(other = modules.parse(options.compare)))
    return 1;
  return runModules(*module, other ? *other : ModuleOp(), options);
}
