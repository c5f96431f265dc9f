//===- MatmulOps.cpp - Verifiers and result types of matrix products ------===//
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
#include "nlp/Dialect/NLP/IR/MatmulOps.cpp.inc"

void NLPDialect::registerMatmulOps() {
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/MatmulOps.cpp.inc"
      >();
}

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput()),
                   weight = getTensor(adaptor.getWeight());
  if (input.getRank() < 1 || weight.getRank() != 2) // (C1)
    return emitOptionalError(loc,
                             "expected an input of rank 1 or more and a "
                             "weight of rank 2, but got ",
                             input, " and ", weight);
  bool outIn = adaptor.getLayout() == WeightLayout::OutIn;
  int64_t inSize = weight.getDimSize(outIn ? 1 : 0),
          outSize = weight.getDimSize(outIn ? 0 : 1);
  if (input.getShape().back() != inSize) // (C2)
    return emitOptionalError(loc, "expected an input whose last dimension is ",
                             inSize, ", but got ", input);
  if (input.getElementType() != weight.getElementType()) // (C4)
    return emitOptionalError(loc, "expected a weight of element type ",
                             input.getElementType(), ", but got ", weight);
  if (Value bias = adaptor.getBias()) {
    auto want = RankedTensorType::get({outSize}, weight.getElementType());
    if (bias.getType() != want) // (C3), (C4)
      return emitOptionalError(loc, "expected a bias of type ", want,
                               ", but got ", bias.getType());
  }
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = outSize;
  types.push_back(input.clone(shape));
  return success();
}

LogicalResult
LinearWeightGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput()),
                   grad = getTensor(adaptor.getResultGrad());
  if (input.getRank() < 2 || input.getRank() != grad.getRank() ||
      input.getShape().drop_back() != grad.getShape().drop_back() ||
      input.getElementType() != grad.getElementType()) // (C1)
    return emitOptionalError(loc,
                             "expected two tensors of rank 2 or more with "
                             "the same leading dimensions, but got ",
                             input, " and ", grad);
  int64_t in = input.getShape().back(), out = grad.getShape().back();
  if (adaptor.getLayout() == WeightLayout::OutIn)
    std::swap(in, out);
  types.push_back(input.clone({in, out}));
  return success();
}

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType table = getTensor(adaptor.getTable());
  if (table.getRank() != 2) // (C1)
    return emitOptionalError(loc, "expected a table of rank 2, but got ",
                             table);
  SmallVector<int64_t> shape(getTensor(adaptor.getIds()).getShape());
  shape.push_back(table.getDimSize(1));
  types.push_back(table.clone(shape));
  return success();
}

LogicalResult EmbeddingGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType grad = getTensor(adaptor.getResultGrad()),
                   ids = getTensor(adaptor.getIds());
  if (grad.getRank() != ids.getRank() + 1 ||
      grad.getShape().drop_back() != ids.getShape()) // (C1)
    return emitOptionalError(loc, "expected a gradient with the shape of ", ids,
                             " and one more dimension, but got ", grad);
  if (static_cast<int64_t>(adaptor.getRows()) < 1) // (C2)
    return emitOptionalError(loc, "expected a positive number of rows");
  types.push_back(grad.clone(
      {static_cast<int64_t>(adaptor.getRows()), grad.getShape().back()}));
  return success();
}
