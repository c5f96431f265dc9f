//===- AttentionOps.cpp - Verifiers and result types of attention ---------===//
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

/// Arrays of doubles, which MLIR prints with six digits, as they are.
static ParseResult parseExact(OpAsmParser &parser, DenseF64ArrayAttr &values) {
  values = llvm::dyn_cast_or_null<DenseF64ArrayAttr>(
      DenseF64ArrayAttr::parse(parser, Type()));
  return success(values != nullptr);
}
static void printExact(OpAsmPrinter &printer, Operation *,
                       DenseF64ArrayAttr values) {
  printer << '[';
  llvm::interleaveComma(values.asArrayRef(), printer, [&](double value) {
    printer.printFloat(APFloat(value));
  });
  printer << ']';
}

#define GET_OP_CLASSES
#include "nlp/Dialect/NLP/IR/AttentionOps.cpp.inc"

void NLPDialect::registerAttentionOps() {
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/AttentionOps.cpp.inc"
      >();
}

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult RopeOp::verify() {
  RankedTensorType input = getTensor(getInput());
  if (input.getRank() != 4 || input.getShape().back() % 2 != 0) // (C1)
    return emitOpError("expected an input of rank 4 with an even last "
                       "dimension, but got ")
           << input;
  int64_t pairs = input.getShape().back() / 2;
  if (static_cast<int64_t>(getFrequencies().size()) != pairs) // (C2)
    return emitOpError("expected ")
           << pairs << " frequencies, but got " << getFrequencies().size();
  return success();
}

/// Shapes of query, key and value: (C1) and (C2) of nlp.attention.
static LogicalResult checkShapes(std::optional<Location> loc, Value queryValue,
                                 Value keyValue) {
  RankedTensorType query = getTensor(queryValue), key = getTensor(keyValue);
  if (query.getRank() != 4 || key.getRank() != 4 ||
      query.getElementType() != key.getElementType() ||
      query.getDimSize(0) != key.getDimSize(0) ||
      query.getDimSize(3) != key.getDimSize(3)) // (C1)
    return emitOptionalError(loc,
                             "expected query and key of rank 4 with equal "
                             "batch, head dimension and type, but got ",
                             query, " and ", key);
  if (query.getDimSize(2) % key.getDimSize(2) != 0) // (C2)
    return emitOptionalError(
        loc, "expected a number of key heads that divides ",
        query.getDimSize(2), ", but got ", key.getDimSize(2));
  return success();
}

/// `[batch, heads, queries]` in f32.
static RankedTensorType getLseType(Value queryValue) {
  RankedTensorType query = getTensor(queryValue);
  return RankedTensorType::get(
      {query.getDimSize(0), query.getDimSize(2), query.getDimSize(1)},
      Float32Type::get(query.getContext()));
}

/// (C3) to (C5), shared by the op and its gradient.
template <typename Op> static LogicalResult verifyMask(Op op) {
  int64_t queries = getTensor(op.getQuery()).getDimSize(1),
          keys = getTensor(op.getKey()).getDimSize(1);
  if (op.getMask() != MaskKind::Bidirectional && queries != keys) // (C3)
    return op.emitOpError("expected as many keys as queries for a causal mask, "
                          "but got ")
           << keys << " and " << queries;
  int64_t window = op.getWindow();
  if ((op.getMask() == MaskKind::SlidingWindow) ? window < 1
                                                : window != 0) // (C4)
    return op.emitOpError("expected a positive window for a sliding window and "
                          "0 otherwise, but got ")
           << window;
  if (!op.getSeed() != !op.getFirstSequence()) // (C5)
    return op.emitOpError("expected both a seed and a first sequence, or "
                          "neither");
  double rate = op.getDropout().convertToDouble();
  if (!(rate >= 0.0 && rate < 1.0)) // (C5)
    return op.emitOpError("expected a dropout in [0, 1), but got ") << rate;
  if (rate != 0.0 && (!op.getSeed() || op.getSite().empty())) // (C5)
    return op.emitOpError("expected a seed, a first sequence and a site with "
                          "dropout");
  return success();
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(expectTensors(loc, adaptor.getOperands())))
    return failure();
  if (failed(checkShapes(loc, adaptor.getQuery(), adaptor.getKey())))
    return failure();
  types.assign({adaptor.getQuery().getType(), getLseType(adaptor.getQuery())});
  return success();
}

LogicalResult AttentionOp::verify() { return verifyMask(*this); }

LogicalResult AttentionGradOp::verify() {
  if (failed(checkShapes(getLoc(), getQuery(), getKey())))
    return failure();
  if (getLse().getType() != getLseType(getQuery())) // (C6)
    return emitOpError("expected lse of type ")
           << getLseType(getQuery()) << ", but got " << getLse().getType();
  return verifyMask(*this);
}
