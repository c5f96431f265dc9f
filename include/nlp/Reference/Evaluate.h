//===- Evaluate.h - Evaluates one nlp op ------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is computed in f64 straight from the equation in its documentation.
// Nothing here is shared with passes, kernels or cost models.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_REFERENCE_EVALUATE_H
#define NLP_REFERENCE_EVALUATE_H

#include "mlir/IR/Operation.h"
#include "nlp/Reference/TensorValue.h"

namespace nlp::ref {

/// Which results are rounded to their element type.
enum class Rounding {
  /// None: for derivatives.
  None,
  /// Those of 16 bits: what a plan with mixed precision means.
  Narrow,
  /// All, f32 too.
  All,
};

/// Computes the results of a pure op whose operands `env` holds. Fails with an
/// error on the op where an id is outside of its table, and on ops that are not
/// pure nlp ops.
llvm::LogicalResult evaluate(mlir::Operation *op, Environment &env,
                             Rounding rounding);

} // namespace nlp::ref

#endif // NLP_REFERENCE_EVALUATE_H
