//===- ShapeOps.cpp - Verifiers and result types of shape ops -------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nlp;

#define GET_OP_CLASSES
#include "nlp/Dialect/NLP/IR/ShapeOps.cpp.inc"

void NLPDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/ShapeOps.cpp.inc"
      >();
}

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks that `dim` is a dimension of `type`.
static LogicalResult checkDim(std::optional<Location> loc,
                              RankedTensorType type, int64_t dim) {
  if (dim < 0 || dim >= type.getRank())
    return emitOptionalError(loc, "expected a dimension of ", type,
                             ", but got ", dim);
  return success();
}

/// `type` with size `size` in dimension `dim`.
static RankedTensorType resize(RankedTensorType type, int64_t dim,
                               int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = getTensor(getInput()),
                   result = getTensor(getResult());
  if (input.getNumElements() != result.getNumElements() ||
      input.getElementType() != result.getElementType()) // (C1)
    return emitOpError("expected ")
           << input.getNumElements() << " elements of type "
           << input.getElementType() << ", but got " << result;
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<bool> seen(input.getRank(), false);
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= input.getRank() || seen[dim]) // (C1)
      return emitOptionalError(loc,
                               "expected a permutation of the dimensions "
                               "of ",
                               input);
    seen[dim] = true;
    shape.push_back(input.getDimSize(dim));
  }
  if (static_cast<int64_t>(permutation.size()) != input.getRank()) // (C1)
    return emitOptionalError(loc, "expected a permutation of ", input.getRank(),
                             " dimensions, but got ", permutation.size());
  types.push_back(input.clone(shape));
  return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput());
  int64_t dim = adaptor.getDim(), sum = 0;
  if (failed(checkDim(loc, input, dim))) // (C1)
    return failure();
  for (int64_t size : adaptor.getSizes()) {
    if (size < 1) // (C2)
      return emitOptionalError(loc, "expected positive sizes, but got ", size);
    // Stops at the first part too many: the sum cannot overflow.
    if (size > input.getDimSize(dim) - sum)
      return emitOptionalError(loc, "expected sizes that add up to ",
                               input.getDimSize(dim), ", but got more");
    sum += size;
    types.push_back(resize(input, dim, size));
  }
  if (sum != input.getDimSize(dim)) // (C2)
    return emitOptionalError(loc, "expected sizes that add up to ",
                             input.getDimSize(dim), ", but got ", sum);
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  if (adaptor.getParts().empty()) // (C1)
    return emitOptionalError(loc, "expected at least one part");
  RankedTensorType first = getTensor(adaptor.getParts().front());
  int64_t dim = adaptor.getDim(), sum = 0;
  if (failed(checkDim(loc, first, dim))) // (C1)
    return failure();
  for (Value part : adaptor.getParts()) {
    RankedTensorType type = getTensor(part);
    if (type.getRank() != first.getRank() ||
        resize(type, dim, 1) != resize(first, dim, 1)) // (C2)
      return emitOptionalError(loc, "expected parts that differ in dimension ",
                               dim, " only, but got ", first, " and ", type);
    if (llvm::AddOverflow(sum, type.getDimSize(dim), sum))
      return emitOptionalError(loc, "expected a result of fewer elements");
  }
  types.push_back(resize(first, dim, sum));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput());
  int64_t dim = adaptor.getDim(), offset = adaptor.getOffset(),
          size = adaptor.getSize();
  if (failed(checkDim(loc, input, dim))) // (C1)
    return failure();
  if (offset < 0 || size < 1 || size > input.getDimSize(dim) ||
      offset > input.getDimSize(dim) - size) // (C2)
    return emitOptionalError(loc, "expected a range within dimension ", dim,
                             " of ", input, ", but got [", offset, ", ", offset,
                             " + ", size, ")");
  types.push_back(resize(input, dim, size));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput());
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(loc, input, dim))) // (C1)
    return failure();
  int64_t before = adaptor.getBefore(), after = adaptor.getAfter(),
          size = input.getDimSize(dim);
  if (before < 0 || after < 0 || llvm::AddOverflow(before, size, size) ||
      llvm::AddOverflow(after, size, size)) // (C2)
    return emitOptionalError(loc, "expected padding of 0 or more, but got ",
                             before, " and ", after);
  types.push_back(resize(input, dim, size));
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = getTensor(getInput()),
                   result = getTensor(getResult());
  if (input.getRank() > result.getRank() ||
      result.getShape().take_back(input.getRank()) != input.getShape() ||
      input.getElementType() != result.getElementType()) // (C1)
    return emitOpError("expected a result whose last dimensions are those of ")
           << input << ", but got " << result;
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType input = getTensor(adaptor.getInput());
  int64_t leading = adaptor.getLeading();
  if (leading < 1 || leading > input.getRank()) // (C1)
    return emitOptionalError(loc, "expected 1 to ", input.getRank(),
                             " leading dimensions, but got ", leading);
  types.push_back(input.clone(input.getShape().drop_front(leading)));
  return success();
}

LogicalResult CastOp::verify() {
  if (getTensor(getInput()).getShape() !=
      getTensor(getResult()).getShape()) // (C1)
    return emitOpError("expected a result of the input's shape, but got ")
           << getResult().getType();
  return success();
}
