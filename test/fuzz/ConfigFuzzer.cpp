//===- ConfigFuzzer.cpp - Any bytes as a model's configuration -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes: a graph that verifies or an error, no crash.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "nlp/Import/HuggingFace.h"

using namespace mlir;

/// The standard library inside libMLIR.so does not mark its containers.
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0";
}

/// A context that drops warnings. Contexts keep every type for ever, so it is
/// replaced now and then.
static MLIRContext *getContext() {
  static std::unique_ptr<MLIRContext> context;
  static int uses = 0;
  if (uses++ % 512 == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->getDiagEngine().registerHandler([](Diagnostic &) {});
  }
  return context.get();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  nlp::ImportOptions options;
  options.task = "causal-lm";
  llvm::Expected<OwningOpRef<ModuleOp>> module = nlp::importHuggingFaceText(
      text, "config.json", "model", options, getContext());
  if (!module) {
    std::string message = llvm::toString(module.takeError());
    // As a message of ours, not as a part of the input that one quotes.
    if (StringRef(message).starts_with(
            "config.json: the imported graph does not verify"))
      abort();
  }
  return 0;
}
