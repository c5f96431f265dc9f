//===- HuggingFace.cpp - Graphs from Hugging Face configurations ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Import/HuggingFace.h"
#include "../FormatNumber.h"
#include "Families.h"
#include "ModelType.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace nlp;
using llvm::Error;
using llvm::Expected;

/// Checks what the user asks for, whatever the model.
static Error checkOptions(const ImportOptions &options) {
  auto checkSize = [](StringRef name, std::optional<int64_t> size) -> Error {
    if (!size || (*size >= 1 && *size <= ConfigReader::kMaxSize))
      return Error::success();
    return llvm::make_error<UsageError>(
        name + ": expected an integer from 1 to " +
        Twine(ConfigReader::kMaxSize) + ", but got " + Twine(*size));
  };
  if (Error error = checkSize("--seq-len", options.seqLen))
    return error;
  if (Error error = checkSize("--global-batch", options.globalBatch))
    return error;
  std::optional<double> rate = options.dropout;
  if (rate && !(*rate >= 0 && *rate < 1))
    return llvm::make_error<UsageError>(
        "--dropout: expected a rate from 0 to below 1, but got " +
        formatNumber(*rate));
  return Error::success();
}

/// Checks that the task, given or found, is one that these families learn.
static Error checkTask(const JsonValue &config, const ImportOptions &options) {
  if (options.task == "causal-lm")
    return Error::success();
  if (options.task)
    return llvm::make_error<UsageError>(
        "--task: expected causal-lm, the only task that is supported so far, "
        "but got '" +
        *options.task + "'");
  Expected<std::string> task = findTask(config);
  if (!task)
    return task.takeError();
  if (*task == "causal-lm")
    return Error::success();
  return config.error("architectures: expected a causal language model, but "
                      "got one for " +
                      *task +
                      "; --task=causal-lm trains a language model of the same "
                      "shape");
}

Expected<GraphShape> nlp::getGraphShape(const ImportRequest &request,
                                        int64_t vocabSize, int64_t maxPositions,
                                        StringRef positionsKey) {
  int64_t seqLen = request.options.seqLen.value_or(maxPositions);
  if (seqLen > maxPositions)
    return llvm::make_error<UsageError>(
        "--seq-len: expected at most " + Twine(maxPositions) +
        ", the model's " + positionsKey + ", but got " + Twine(seqLen));
  return GraphShape{request.modelName, request.options.globalBatch.value_or(1),
                    seqLen, vocabSize};
}

/// Tells the user that only the fields say what the model is.
static void warnOfUnknownType(const JsonValue &config, StringRef fileName,
                              ModelFamily family, MLIRContext *context) {
  std::optional<JsonValue> type = config.find("model_type");
  auto loc = FileLineColLoc::get(context, fileName, 1, 1);
  mlir::emitWarning(loc) << "model_type " << (type ? type->describe() : "none")
                         << " is not known: imported as "
                         << (family == ModelFamily::GPT2 ? "GPT-2" : "Llama")
                         << ", whose fields it has";
}

ImportedModule nlp::importHuggingFaceText(StringRef text, StringRef fileName,
                                          StringRef modelName,
                                          const ImportOptions &options,
                                          MLIRContext *context) {
  if (Error error = checkOptions(options))
    return error;
  Expected<JsonDocument> document = parseJson(text, fileName);
  if (!document)
    return document.takeError();
  JsonValue config = document->root();
  Expected<ModelType> type = findModelType(config);
  if (!type)
    return type.takeError();
  if (Error error = checkTask(config, options))
    return error;
  context->loadDialect<NLPDialect>();

  ConfigReader reader(config);
  ImportRequest request{context, modelName.str(), type->name, options};
  ImportedModule module = type->family == ModelFamily::GPT2
                              ? importGPT2(reader, request)
                              : importLlama(reader, request);
  if (!module)
    return module;
  if (failed(mlir::verify(**module)))
    return config.error("the imported graph does not verify");
  if (type->name.empty())
    warnOfUnknownType(config, fileName, type->family, context);
  return module;
}

ImportedModule nlp::importHuggingFace(StringRef path,
                                      const ImportOptions &options,
                                      MLIRContext *context) {
  SmallString<256> file(path), model(path);
  if (llvm::sys::fs::is_directory(path)) {
    llvm::sys::path::append(file, "config.json");
    if (!llvm::sys::fs::exists(file))
      return makeError("expected a config.json in the directory " + path);
  } else if (llvm::sys::path::filename(path) == "config.json") {
    llvm::sys::path::remove_filename(model);
    if (model.empty())
      model = ".";
  } else {
    llvm::sys::path::replace_extension(model, "");
  }
  // "." and ".." have names only once they are followed.
  SmallString<256> realPath;
  if (llvm::sys::fs::is_directory(model) &&
      !llvm::sys::fs::real_path(model, realPath))
    model = realPath;
  constexpr int64_t kMaxConfigBytes = 16 << 20;
  Expected<std::string> text = readFile(file, kMaxConfigBytes);
  if (!text)
    return text.takeError();
  StringRef name = llvm::sys::path::filename(model);
  return importHuggingFaceText(*text, file, name.empty() ? "model" : name,
                               options, context);
}
