//===- HuggingFace.h - Graphs from Hugging Face configurations -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the graph phase from a config.json alone: parameters named as in the
// model's weight files, and one forward segment that ends in the loss. Weights
// are not read. Families: GPT-2; Llama with Mistral, Qwen2, Qwen3 and whatever
// has their fields.
//
// A field that might change the graph and is not supported is an error; none is
// passed over in silence.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_IMPORT_HUGGINGFACE_H
#define NLP_IMPORT_HUGGINGFACE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "nlp/Import/ImportOptions.h"
#include "llvm/ADT/StringRef.h"

namespace nlp {

/// Imports `path`, a model directory or its config.json. The model is named
/// after the directory, or after the file where that is not called config.json.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importHuggingFace(llvm::StringRef path, const ImportOptions &options,
                  mlir::MLIRContext *context);

/// Imports the text of a configuration. Errors go by the name `fileName`.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importHuggingFaceText(llvm::StringRef text, llvm::StringRef fileName,
                      llvm::StringRef modelName, const ImportOptions &options,
                      mlir::MLIRContext *context);

} // namespace nlp

#endif // NLP_IMPORT_HUGGINGFACE_H
