//===- Activation.h - Activations by their Hugging Face names -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_IMPORT_HUGGINGFACE_ACTIVATION_H
#define NLP_LIB_IMPORT_HUGGINGFACE_ACTIVATION_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace nlp {

enum class Activation {
  GeluErf,
  GeluTanh,
  Relu,
  ReluSquared,
  Silu,
  Tanh,
  Sigmoid
};

/// The activation called `name`, or nothing.
std::optional<Activation> parseActivation(llvm::StringRef name);

/// What parseActivation accepts, for messages.
llvm::StringRef getActivationNames();

/// Applies `activation` to `input`.
mlir::Value buildActivation(mlir::OpBuilder &builder, mlir::Location loc,
                            Activation activation, mlir::Value input);

} // namespace nlp

#endif // NLP_LIB_IMPORT_HUGGINGFACE_ACTIVATION_H
