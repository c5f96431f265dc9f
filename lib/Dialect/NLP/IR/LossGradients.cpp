//===- LossGradients.cpp - Gradients of losses ----------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

LogicalResult
CrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &operandGradients) {
  if (failed(expectFirstGradientOnly(*this, resultGradients)))
    return failure();
  if (resultGradients.front() && needed[0])
    operandGradients[0] = CrossEntropyGradOp::create(
        builder, getLoc(), resultGradients.front(), getLogits(), getTargets(),
        getLse(), getNormalizerAttr(), nullptr);
  return success();
}

void CrossEntropyOp::getGradientReads(SmallVectorImpl<Value> &values) {
  values.append({getLogits(), getTargets(), getLse()});
}
