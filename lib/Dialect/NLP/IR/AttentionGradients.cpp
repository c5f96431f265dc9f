//===- AttentionGradients.cpp - Gradients of attention and rope -----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

LogicalResult RopeOp::buildGradient(OpBuilder &builder,
                                    ValueRange resultGradients,
                                    ArrayRef<bool> needed,
                                    SmallVectorImpl<Value> &operandGradients) {
  if (resultGradients.front() && needed.front())
    operandGradients.front() =
        RopeOp::create(builder, getLoc(), resultGradients.front(),
                       getFrequencies(), !getInverse(), nullptr);
  return success();
}

void RopeOp::getGradientReads(SmallVectorImpl<Value> &values) {}

LogicalResult
AttentionOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           ArrayRef<bool> needed,
                           SmallVectorImpl<Value> &operandGradients) {
  if (failed(expectFirstGradientOnly(*this, resultGradients)))
    return failure();
  if (!resultGradients.front())
    return success();
  auto gradients = AttentionGradOp::create(
      builder, getLoc(), resultGradients.front(), getQuery(), getKey(),
      getValue(), getResult(), getLse(), getSeed(), getFirstSequence(),
      getMaskAttr(), getWindowAttr(), getScaleAttr(), getDropoutAttr(),
      getSiteAttr(), nullptr);
  for (auto [index, gradient] : llvm::enumerate(gradients->getResults()))
    if (needed[index])
      operandGradients[index] = gradient;
  return success();
}

void AttentionOp::getGradientReads(SmallVectorImpl<Value> &values) {
  llvm::append_range(values, getOperands());
  llvm::append_range(values, getResults());
}
