//===- OptimizerOps.cpp - Verifiers and result types of updates -----------===//
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
#include "nlp/Dialect/NLP/IR/OptimizerOps.cpp.inc"

void NLPDialect::registerOptimizerOps() {
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/OptimizerOps.cpp.inc"
      >();
}

LogicalResult SquareSumOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  int64_t count =
      cast<RankedTensorType>(adaptor.getInput().getType()).getNumElements();
  types.push_back(RankedTensorType::get({(count + 16383) / 16384},
                                        Float64Type::get(context)));
  return success();
}

static LogicalResult verifyShapes(Operation *op, Value parameter,
                                  ValueRange others) {
  auto type = cast<RankedTensorType>(parameter.getType());
  for (Value other : others)
    if (cast<RankedTensorType>(other.getType()).getShape() !=
        type.getShape()) // (C1)
      return op->emitOpError("expected tensors of the parameter's shape ")
             << type << ", but got " << other.getType();
  return success();
}

LogicalResult AdamWOp::verify() {
  return verifyShapes(*this, getParameter(),
                      {getGrad(), getFirstMoment(), getSecondMoment()});
}

LogicalResult SGDOp::verify() {
  return verifyShapes(*this, getParameter(), {getGrad(), getVelocity()});
}
