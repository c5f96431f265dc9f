//===- CompileSession.cpp - From a planned module to a training binary ----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/CompileSession.h"
#include "nlp/Import/ImportOptions.h"
#include "nlp/Pipelines/Pipelines.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "nlp/Target/Executable.h"

using namespace mlir;
using namespace nlp;

std::string nlp::printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  os << "\n";
  return text;
}

static const char *getPhaseName(EmitPhase phase) {
  static const char *const names[] = {"joint", "planned", "applied", "runtime",
                                      "llvm",  "obj",     "exe"};
  return names[static_cast<int>(phase)];
}

/// The phase of a module, as far as its content shows it; a graph counts as
/// joint, which is the first that can be asked for.
static EmitPhase getPhase(ModuleOp module) {
  if (module.lookupSymbol("nlprt_compiled_program"))
    return EmitPhase::LLVM;
  if (!module.getOps<rt::ProgramOp>().empty())
    return EmitPhase::Runtime;
  for (auto step : module.getOps<StepOp>()) {
    if (step.getPlan())
      return EmitPhase::Planned;
    if (step.getSchedule() && step.getScheduleAttr().size() != 2)
      return EmitPhase::Applied;
  }
  return EmitPhase::Joint;
}

/// Lowers up to `emit`, at most to the LLVM dialect.
static llvm::Error lower(ModuleOp module, const CompileRequest &request) {
  EmitPhase phase = getPhase(module);
  if (request.emit < phase)
    return llvm::make_error<UsageError>(
        llvm::Twine("--emit=") + getPhaseName(request.emit) +
        ": expected a later phase, since the module is " + getPhaseName(phase) +
        " already");
  if (phase == EmitPhase::LLVM)
    return llvm::Error::success();
  if (phase < EmitPhase::Applied && request.emit <= EmitPhase::Applied) {
    if (llvm::Error error = lowerToJoint(module, request.plan))
      return error;
    if (request.emit == EmitPhase::Joint)
      return llvm::Error::success();
    llvm::Expected<PlanResult> plan = planModel(module, request.plan);
    if (!plan)
      return plan.takeError();
    if (llvm::Error error = checkFits(*plan))
      return error;
    module.getBodyRegion().takeBody(plan->step.planned->getBodyRegion());
    if (request.emit == EmitPhase::Applied)
      return runPasses(module,
                       [](OpPassManager &pm) { buildApplyPipeline(pm); });
    return llvm::Error::success();
  }
  if (request.emit == EmitPhase::Applied)
    return llvm::Error::success();
  if (llvm::Error error = lowerToRuntime(module, request.plan))
    return error;
  if (request.emit == EmitPhase::Runtime)
    return llvm::Error::success();
  return runPasses(module, [](OpPassManager &pm) { buildLLVMPipeline(pm); });
}

llvm::Error nlp::compileModule(ModuleOp module, const CompileRequest &request,
                               StringRef path) {
  if (request.target != "cpu")
    return makeError("target '" + request.target +
                     "' is not supported yet: expected cpu");
  if (llvm::Error error = lower(module, request))
    return error;
  if (request.emit <= EmitPhase::LLVM)
    return writeFileAtomically(path, printModule(module));

  std::string messages;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        messages += (messages.empty() ? "" : "; ") + diagnostic.str();
        return success();
      });
  CodeOptions code;
  LogicalResult result = success();
  if (request.emit == EmitPhase::Object) {
    result = writeObjectFile(module, code, path);
  } else {
    LinkOptions link;
    link.runtimeLibrary = findRuntimeLibrary();
    code.withMain = true;
    result = writeExecutable(module, code, link, path);
  }
  if (failed(result))
    return makeError(messages.empty() ? "code generation failed" : messages);
  return llvm::Error::success();
}
