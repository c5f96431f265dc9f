//===- Pipelines.h - Registration and the order of passes -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_PIPELINES_H
#define NLP_PIPELINES_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"

namespace nlp {

/// The project's dialects and those that its passes produce, with their
/// translations to LLVM IR.
void registerAllDialects(mlir::DialectRegistry &registry);

/// All passes and pipelines of the project, and MLIR's general ones.
void registerAllPasses();

} // namespace nlp

#endif // NLP_PIPELINES_PIPELINES_H
