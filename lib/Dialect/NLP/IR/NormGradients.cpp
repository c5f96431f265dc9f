//===- NormGradients.cpp - Gradients of normalizations --------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

/// Hands `gradients`, one for each operand, to the operands that need one.
static void assignNeeded(ResultRange gradients, ArrayRef<bool> needed,
                         SmallVectorImpl<Value> &operandGradients) {
  for (auto [index, gradient] : llvm::enumerate(gradients))
    if (needed[index])
      operandGradients[index] = gradient;
}

LogicalResult
LayerNormOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           ArrayRef<bool> needed,
                           SmallVectorImpl<Value> &operandGradients) {
  if (failed(expectFirstGradientOnly(*this, resultGradients)))
    return failure();
  if (!resultGradients.front())
    return success();
  auto gradients = LayerNormGradOp::create(
      builder, getLoc(), resultGradients.front(), getInput(), getWeight(),
      getMean(), getRstd(), nullptr);
  assignNeeded(gradients->getResults(), needed, operandGradients);
  return success();
}

void LayerNormOp::getGradientReads(SmallVectorImpl<Value> &values) {
  values.append({getInput(), getWeight(), getMean(), getRstd()});
}

LogicalResult
RMSNormOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                         ArrayRef<bool> needed,
                         SmallVectorImpl<Value> &operandGradients) {
  if (failed(expectFirstGradientOnly(*this, resultGradients)))
    return failure();
  if (!resultGradients.front())
    return success();
  auto gradients =
      RMSNormGradOp::create(builder, getLoc(), resultGradients.front(),
                            getInput(), getWeight(), getRstd(), nullptr);
  assignNeeded(gradients->getResults(), needed, operandGradients);
  return success();
}

void RMSNormOp::getGradientReads(SmallVectorImpl<Value> &values) {
  values.append({getInput(), getWeight(), getRstd()});
}
