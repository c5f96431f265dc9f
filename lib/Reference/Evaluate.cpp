//===- Evaluate.cpp - Evaluates one nlp op ----------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Reference/Evaluate.h"
#include "Families.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

static bool isRounded(Type element, Rounding rounding) {
  if (!isa<FloatType>(element) || rounding == Rounding::None)
    return false;
  return rounding == Rounding::All || element.getIntOrFloatBitWidth() <= 16;
}

/// Gives the results of `op` again, as their element types hold them.
static void roundResults(Operation *op, Environment &env, Rounding rounding) {
  for (Value result : op->getResults()) {
    Type element = getElementTypeOrSelf(result.getType());
    if (!isRounded(element, rounding))
      continue;
    TensorValue exact = env[result];
    TensorValue &rounded = env.define(result);
    for (int64_t i = 0; i < exact.size(); ++i)
      rounded[i] = roundTo(element, exact[i]);
  }
}

LogicalResult nlp::ref::evaluate(Operation *op, Environment &env,
                                 Rounding rounding) {
  for (auto family :
       {evaluateAttentionOp, evaluateLossOp, evaluateMatmulOp, evaluateNormOp,
        evaluateOptimizerOp, evaluatePointwiseOp, evaluateShapeOp})
    if (FamilyResult result = family(op, env)) {
      if (succeeded(*result))
        roundResults(op, env, rounding);
      return *result;
    }
  return op->emitOpError("expected an op that the interpreter knows");
}
