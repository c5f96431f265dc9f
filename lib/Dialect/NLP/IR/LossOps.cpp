//===- LossOps.cpp - Verifiers and result types of losses ----*- C++ -*-===//
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
#include "nlp/Dialect/NLP/IR/LossOps.cpp.inc"

void NLPDialect::registerLossOps() {
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/LossOps.cpp.inc"
      >();
}

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult checkShapes(std::optional<Location> loc, Value logits,
                                 Value targets) {
  RankedTensorType logitsType = getTensor(logits);
  if (logitsType.getRank() < 1 || logitsType.getShape().drop_back() !=
                                      getTensor(targets).getShape()) // (C1)
    return emitOptionalError(loc, "expected logits with the shape of ",
                             targets.getType(),
                             " and one more dimension, but got ", logitsType);
  return success();
}

static RankedTensorType getLseType(Value targets) {
  return getTensor(targets).clone(Float32Type::get(targets.getContext()));
}

template <typename Op> static LogicalResult verifyNormalizer(Op op) {
  if (!(op.getNormalizer().convertToDouble() > 0.0))
    return op.emitOpError("expected a positive normalizer");
  return success();
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  if (failed(checkShapes(loc, adaptor.getLogits(), adaptor.getTargets())))
    return failure();
  types.assign({RankedTensorType::get({}, Float32Type::get(context)),
                getLseType(adaptor.getTargets())});
  return success();
}

LogicalResult CrossEntropyOp::verify() {
  return verifyNormalizer(*this); // (C2)
}

LogicalResult CrossEntropyGradOp::verify() {
  if (failed(checkShapes(getLoc(), getLogits(), getTargets()))) // (C1)
    return failure();
  if (getLse().getType() != getLseType(getTargets())) // (C2)
    return emitOpError("expected lse of type ")
           << getLseType(getTargets()) << ", but got " << getLse().getType();
  return verifyNormalizer(*this); // (C3)
}
