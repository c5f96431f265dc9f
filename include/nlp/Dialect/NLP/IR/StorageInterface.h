//===- StorageInterface.h - Whose bytes a value shows -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_STORAGEINTERFACE_H
#define NLP_DIALECT_NLP_IR_STORAGEINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include <optional>

#include "nlp/Dialect/NLP/IR/StorageInterface.h.inc"

namespace nlp {

/// Gives the dialect's ops their answers.
void attachStorageModels(mlir::MLIRContext *context);

} // namespace nlp

#endif // NLP_DIALECT_NLP_IR_STORAGEINTERFACE_H
