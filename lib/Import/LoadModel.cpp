//===- LoadModel.cpp - Any kind of model that tools accept ----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kind of a file goes by its extension, and by its first word where the
// extension says nothing. An .mlir file has its token grid
// and its dropout already: options may repeat them, not change them.
//
//===----------------------------------------------------------------------===//

#include "nlp/Import/LoadModel.h"
#include "FormatNumber.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Import/HuggingFace.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace nlp;
using llvm::Error;
using llvm::Expected;

char UsageError::ID = 0;

void UsageError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code UsageError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

static Error contradict(StringRef option, const Twine &asked, StringRef path,
                        const Twine &found) {
  return llvm::make_error<UsageError>(option + ": expected " + found + ", as " +
                                      path + " has, but got " + asked);
}

/// The token grid of `module`, if it says: [sequences, tokens].
static std::optional<std::pair<int64_t, int64_t>> findGrid(ModuleOp module) {
  for (auto step : module.getOps<StepOp>())
    if (ModelAttr model = step.getModelAttr())
      return std::pair(model.getGlobalBatch(), model.getSeqLen());
  std::optional<std::pair<int64_t, int64_t>> grid;
  module.walk([&](InputOp input) {
    ArrayRef<int64_t> dims = input.getType().getShape();
    grid = std::pair(dims[0], dims[1]);
    return WalkResult::interrupt();
  });
  return grid;
}

/// Checks `asked` against every dropout of `module`.
static Error checkDropout(ModuleOp module, StringRef path, double asked) {
  bool hasOp = false;
  std::optional<double> other;
  auto compare = [&](double rate) {
    hasOp = true;
    if (rate != asked)
      other = rate;
  };
  module.walk([&](Operation *op) {
    if (auto dropout = dyn_cast<DropoutOp>(op))
      compare(dropout.getRate().convertToDouble());
    else if (auto attention = dyn_cast<AttentionOp>(op))
      compare(attention.getDropout().convertToDouble());
  });
  if (!hasOp && asked != 0)
    other = 0;
  if (!other)
    return Error::success();
  return contradict("--dropout", formatNumber(asked), path,
                    formatNumber(*other));
}

static Error checkAgainst(ModuleOp module, StringRef path,
                          const ImportOptions &options) {
  if (options.task && *options.task != "causal-lm")
    return contradict("--task", *options.task, path, "causal-lm");
  if (auto grid = findGrid(module)) {
    auto [batch, seqLen] = *grid;
    if (options.seqLen && *options.seqLen != seqLen)
      return contradict("--seq-len", Twine(*options.seqLen), path,
                        Twine(seqLen));
    if (options.globalBatch && *options.globalBatch != batch)
      return contradict("--global-batch", Twine(*options.globalBatch), path,
                        Twine(batch));
  }
  if (options.dropout)
    return checkDropout(module, path, *options.dropout);
  return Error::success();
}

static Expected<OwningOpRef<ModuleOp>>
parseModel(StringRef path, const ImportOptions &options, MLIRContext *context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return makeError(message);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  // The parser has said where and why.
  if (!module)
    return makeError("cannot read " + path + " as MLIR");
  if (Error error = checkAgainst(*module, path, options))
    return error;
  return module;
}

/// Whether a file begins as a module does, in text or bytecode.
static bool isMLIR(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return false;
  StringRef text = (*file)->getBuffer().ltrim();
  while (text.consume_front("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  static constexpr StringRef starts[] = {
      "ML\xefR", "module", "builtin.module", "\"builtin.module\"",
      "#loc",    "nlp.",   "nlprt.",         "llvm."};
  return llvm::any_of(starts,
                      [&](StringRef start) { return text.starts_with(start); });
}

Expected<OwningOpRef<ModuleOp>> nlp::loadModel(StringRef path,
                                               const ImportOptions &options,
                                               MLIRContext *context) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return makeError("cannot open " + path + ": " + code.message());
  StringRef extension = llvm::sys::path::extension(path);
  if (llvm::sys::fs::is_directory(status) || extension == ".json") {
    // Shows warnings, which the context's own handler drops.
    llvm::SourceMgr sources;
    SourceMgrDiagnosticHandler handler(sources, context);
    return importHuggingFace(path, options, context);
  }
  if (extension == ".mlir" || extension == ".mlirbc")
    return parseModel(path, options, context);
  if (extension == ".pt2")
    return makeError(path + ": torch.export archives are not supported yet; "
                            "expected a Hugging Face directory, its "
                            "config.json or an .mlir file");
  if (isMLIR(path))
    return parseModel(path, options, context);
  return makeError(path +
                   ": expected a Hugging Face directory, its "
                   "config.json or an .mlir file, but got a file with "
                   "the extension '" +
                   extension + "'");
}

int64_t nlp::countParameters(ModuleOp module) {
  int64_t count = 0;
  for (auto parameter : module.getOps<ParameterOp>())
    count += cast<RankedTensorType>(parameter.getType()).getNumElements();
  return count;
}
