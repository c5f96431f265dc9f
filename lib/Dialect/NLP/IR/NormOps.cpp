//===- NormOps.cpp - Verifiers and result types of normalizations ---------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"

using namespace mlir;
using namespace nlp;

#define GET_OP_CLASSES
#include "nlp/Dialect/NLP/IR/NormOps.cpp.inc"

void NLPDialect::registerNormOps() {
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/NormOps.cpp.inc"
      >();
}

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The type of one f32 statistic for each row of `input`.
static RankedTensorType getRowType(RankedTensorType input) {
  return RankedTensorType::get(input.getShape().drop_back(),
                               Float32Type::get(input.getContext()));
}

static LogicalResult verifyWeight(Operation *op, Value input, Value weight) {
  int64_t width = getTensor(input).getShape().back();
  RankedTensorType type = getTensor(weight);
  if (type.getRank() != 1 || type.getDimSize(0) != width)
    return op->emitOpError("expected weight of shape [")
           << width << "], the last dimension of input, but got " << type;
  return success();
}

static LogicalResult verifyEpsilon(Operation *op, const APFloat &epsilon) {
  if (!(epsilon.convertToDouble() > 0.0))
    return op->emitOpError("expected a positive epsilon");
  return success();
}

static LogicalResult verifyRows(Operation *op, Value input, Value rows) {
  if (rows.getType() != getRowType(getTensor(input)))
    return op->emitOpError("expected a statistic of type ")
           << getRowType(getTensor(input)) << ", but got " << rows.getType();
  return success();
}

LogicalResult LayerNormOp::verify() {
  // (C1) is in inferReturnTypes, which runs first.
  if (failed(verifyWeight(*this, getInput(), getWeight()))) // (C2)
    return failure();
  return verifyEpsilon(*this, getEpsilon()); // (C3)
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput());
  if (input.getRank() == 0) // (C1)
    return emitOptionalError(loc, "expected an input of rank 1 or more");
  types.assign({input, getRowType(input), getRowType(input)});
  return success();
}

LogicalResult LayerNormGradOp::verify() {
  if (getTensor(getInput()).getRank() == 0)
    return emitOpError("expected an input of rank 1 or more");
  if (failed(verifyWeight(*this, getInput(), getWeight()))) // (C1)
    return failure();
  return verifyRows(*this, getInput(), getMean()); // (C2)
}

LogicalResult RMSNormOp::verify() {
  if (failed(verifyWeight(*this, getInput(), getWeight()))) // (C2)
    return failure();
  return verifyEpsilon(*this, getEpsilon()); // (C3)
}

LogicalResult RMSNormOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput());
  if (input.getRank() == 0) // (C1)
    return emitOptionalError(loc, "expected an input of rank 1 or more");
  types.assign({input, getRowType(input)});
  return success();
}

LogicalResult RMSNormGradOp::verify() {
  if (getTensor(getInput()).getRank() == 0)
    return emitOpError("expected an input of rank 1 or more");
  if (failed(verifyWeight(*this, getInput(), getWeight()))) // (C1)
    return failure();
  return verifyRows(*this, getInput(), getRstd()); // (C2)
}
