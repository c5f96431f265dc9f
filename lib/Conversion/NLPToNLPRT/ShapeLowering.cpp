//===- ShapeLowering.cpp - Views, copies and column sums ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"

using namespace mlir;
using namespace nlp;

static ArrayRef<int64_t> getShape(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// Row-major strides, in elements.
static SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// Copies a box of `shape` elements between two strided places.
static void copy(Operation *op, SegmentLowering &segment, Value in, Value out,
                 ArrayRef<int64_t> shape, ArrayRef<int64_t> inStrides,
                 int64_t inOffset, ArrayRef<int64_t> outStrides,
                 int64_t outOffset) {
  segment.launchOn(op, "copy", {in}, {out},
                   {segment.getInts("shape", shape),
                    segment.getInts("in_strides", inStrides),
                    segment.getInt("in_offset", inOffset),
                    segment.getInts("out_strides", outStrides),
                    segment.getInt("out_offset", outOffset)});
}

/// Copies `size` of dimension `dim` from `inAt` in `input` to `outAt` in `out`.
static void copyRange(Operation *op, SegmentLowering &segment, Value in,
                      ArrayRef<int64_t> inShape, Value out,
                      ArrayRef<int64_t> outShape, int64_t dim, int64_t size,
                      int64_t inAt, int64_t outAt) {
  SmallVector<int64_t> box(inShape), inStrides = getStrides(inShape),
                                     outStrides = getStrides(outShape);
  box[dim] = size;
  copy(op, segment, in, out, box, inStrides, inAt * inStrides[dim], outStrides,
       outAt * outStrides[dim]);
}

static LogicalResult lowerTranspose(TransposeOp op, SegmentLowering &segment) {
  ArrayRef<int64_t> shape = getShape(op.getResult());
  SmallVector<int64_t> strides = getStrides(getShape(op.getInput())), permuted;
  for (int64_t dim : op.getPermutation())
    permuted.push_back(strides[dim]);
  copy(op, segment, segment.getBuffer(op.getInput()),
       segment.makeBuffer(op->getOpResult(0)), shape, permuted, 0,
       getStrides(shape), 0);
  return success();
}

static LogicalResult lowerSplit(SplitOp op, SegmentLowering &segment) {
  int64_t at = 0;
  for (OpResult part : op->getResults()) {
    int64_t size = getShape(part)[op.getDim()];
    copyRange(op, segment, segment.getBuffer(op.getInput()),
              getShape(op.getInput()), segment.makeBuffer(part), getShape(part),
              op.getDim(), size, at, 0);
    at += size;
  }
  return success();
}

static LogicalResult lowerConcat(ConcatOp op, SegmentLowering &segment) {
  Value out = segment.makeBuffer(op->getOpResult(0));
  int64_t at = 0;
  for (Value part : op.getParts()) {
    int64_t size = getShape(part)[op.getDim()];
    Value in = segment.getBuffer(part);
    auto view = in.getDefiningOp<rt::ViewOp>();
    if (!view || view.getSource() != out) // not computed in its place
      copyRange(op, segment, in, getShape(part), out, getShape(op.getResult()),
                op.getDim(), size, 0, at);
    at += size;
  }
  return success();
}

static LogicalResult lowerSlice(SliceOp op, SegmentLowering &segment) {
  Value in = segment.getBuffer(op.getInput());
  ArrayRef<int64_t> shape = getShape(op.getInput());
  if (isView(op)) {
    auto type = getBufferType(op.getResult().getType());
    int64_t bytes = getStrides(shape)[op.getDim()] * op.getOffset() *
                    type.getElementTypeBitWidth() / 8;
    segment.setBuffer(
        op.getResult(),
        rt::ViewOp::create(segment.builder, op.getLoc(), type, in, bytes));
    return success();
  }
  copyRange(op, segment, in, shape, segment.makeBuffer(op->getOpResult(0)),
            getShape(op.getResult()), op.getDim(), op.getSize(), op.getOffset(),
            0);
  return success();
}

static LogicalResult lowerPad(PadOp op, SegmentLowering &segment) {
  Value out = segment.makeBuffer(op->getOpResult(0));
  segment.launchOn(op, "fill", {}, {out}, {segment.getReal("value", 0.0)});
  ArrayRef<int64_t> shape = getShape(op.getInput());
  copyRange(op, segment, segment.getBuffer(op.getInput()), shape, out,
            getShape(op.getResult()), op.getDim(), shape[op.getDim()], 0,
            op.getBefore());
  return success();
}

static LogicalResult lowerReduceSum(ReduceSumOp op, SegmentLowering &segment) {
  ArrayRef<int64_t> shape = getShape(op.getInput());
  int64_t rows = 1, width = 1;
  for (auto [dim, size] : llvm::enumerate(shape))
    (static_cast<int64_t>(dim) < static_cast<int64_t>(op.getLeading())
         ? rows
         : width) *= size;
  Value in = segment.getBuffer(op.getInput());
  Type element = cast<MemRefType>(in.getType()).getElementType();
  Value flat = rt::ViewOp::create(segment.builder, op.getLoc(),
                                  MemRefType::get({rows, width}, element), in);
  segment.launchOn(op, "column_sum", {flat},
                   {segment.makeBuffer(op->getOpResult(0))}, {});
  return success();
}

void nlp::addShapeLowerings(LoweringTable &table) {
  table.add<ReshapeOp>([](ReshapeOp op, SegmentLowering &segment) {
    segment.setBuffer(
        op.getResult(),
        rt::ViewOp::create(segment.builder, op.getLoc(),
                           getBufferType(op.getResult().getType()),
                           segment.getBuffer(op.getInput())));
    return success();
  });
  table.add<TransposeOp>(lowerTranspose);
  table.add<SplitOp>(lowerSplit);
  table.add<ConcatOp>(lowerConcat);
  table.add<SliceOp>(lowerSlice);
  table.add<PadOp>(lowerPad);
  table.add<ReduceSumOp>(lowerReduceSum);
  table.add<FillOp>([](FillOp op, SegmentLowering &segment) {
    segment.launch(op, "fill", {},
                   {segment.getReal("value", op.getValue().convertToDouble())});
    return success();
  });
}
