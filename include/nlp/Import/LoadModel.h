//===- LoadModel.h - Any kind of model that tools accept ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_IMPORT_LOADMODEL_H
#define NLP_IMPORT_LOADMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "nlp/Import/ImportOptions.h"
#include "llvm/ADT/StringRef.h"

namespace nlp {

/// Loads `path`: a Hugging Face directory, its config.json, or an .mlir file of
/// any phase, whose dialects `context` must know. Options that an .mlir file
/// contradicts are a UsageError.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
loadModel(llvm::StringRef path, const ImportOptions &options,
          mlir::MLIRContext *context);

/// Elements of all parameters of `module`; tied weights count once.
int64_t countParameters(mlir::ModuleOp module);

} // namespace nlp

#endif // NLP_IMPORT_LOADMODEL_H
