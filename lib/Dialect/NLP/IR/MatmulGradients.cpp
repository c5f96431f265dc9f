//===- MatmulGradients.cpp - Gradients of matrix products -----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weight gradients come first: they are the last readers of the layer's input,
// which is then free before the input's gradient is allocated.
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

static WeightLayout getOther(WeightLayout layout) {
  return layout == WeightLayout::OutIn ? WeightLayout::InOut
                                       : WeightLayout::OutIn;
}

LogicalResult
LinearOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                        ArrayRef<bool> needed,
                        SmallVectorImpl<Value> &operandGradients) {
  Value gradient = resultGradients.front(); // [..., n]
  if (!gradient)
    return success();
  int64_t leading = getInput().getType().getRank() - 1;
  if (needed[1]) {
    // A vector is a matrix of one row.
    Value input = getInput(), rows = gradient;
    if (leading == 0) {
      auto toRow = [&](Value vector) -> Value {
        auto type = cast<RankedTensorType>(vector.getType());
        return ReshapeOp::create(builder, getLoc(),
                                 RankedTensorType::get({1, type.getDimSize(0)},
                                                       type.getElementType()),
                                 vector, nullptr);
      };
      input = toRow(input);
      rows = toRow(rows);
    }
    operandGradients[1] = LinearWeightGradOp::create(
        builder, getLoc(), input, rows, getLayoutAttr(), nullptr);
  }
  if (getBias() && needed[2])
    operandGradients[2] =
        leading == 0
            ? gradient
            : ReduceSumOp::create(builder, getLoc(), gradient, leading, nullptr)
                  .getResult();
  if (needed[0])
    operandGradients[0] =
        LinearOp::create(builder, getLoc(), gradient, getWeight(), Value(),
                         getOther(getLayout()), nullptr);
  return success();
}

void LinearOp::getGradientReads(SmallVectorImpl<Value> &values) {
  values.append({getInput(), getWeight()});
}

LogicalResult
EmbeddingOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                           ArrayRef<bool> needed,
                           SmallVectorImpl<Value> &operandGradients) {
  if (resultGradients.front() && needed[0])
    operandGradients[0] = EmbeddingGradOp::create(
        builder, getLoc(), resultGradients.front(), getIds(),
        getTable().getType().getDimSize(0), nullptr);
  return success();
}

void EmbeddingOp::getGradientReads(SmallVectorImpl<Value> &values) {
  values.push_back(getIds());
}
