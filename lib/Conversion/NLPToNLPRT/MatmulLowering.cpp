//===- MatmulLowering.cpp - Linear layers and embeddings as library calls -===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"

using namespace mlir;
using namespace nlp;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static SmallVector<NamedAttribute>
getMatmulParams(SegmentLowering &segment, int64_t m, int64_t n, int64_t k,
                bool transA, bool transB, bool hasBias, bool accumulates,
                Type element) {
  return {segment.getInt("batch", 1),
          segment.getInt("m", m),
          segment.getInt("n", n),
          segment.getInt("k", k),
          segment.getInt("trans_a", transA),
          segment.getInt("trans_b", transB),
          segment.getInt("has_bias", hasBias),
          segment.getInt("accumulate", accumulates),
          segment.getInt("dtype", getDType(element))};
}

static LogicalResult lowerLinear(LinearOp op, SegmentLowering &segment) {
  RankedTensorType input = getTensor(op.getInput()),
                   result = getTensor(op.getResult());
  int64_t k = input.getShape().back(), n = result.getShape().back();
  SmallVector<Value> ins = {op.getInput(), op.getWeight()};
  if (op.getBias())
    ins.push_back(op.getBias());
  segment.launch(op, "matmul", ins,
                 getMatmulParams(segment, input.getNumElements() / k, n, k,
                                 false, op.getLayout() == WeightLayout::OutIn,
                                 op.getBias() != nullptr, false,
                                 result.getElementType()));
  return success();
}

/// `in_out`: input^T grad, [k, n]; `out_in`: grad^T input, [n, k].
static LogicalResult lowerWeightGrad(LinearWeightGradOp op,
                                     SegmentLowering &segment) {
  Value a = op.getInput(), b = op.getResultGrad();
  if (op.getLayout() == WeightLayout::OutIn)
    std::swap(a, b);
  int64_t m = getTensor(a).getShape().back(),
          n = getTensor(b).getShape().back();
  SlotAccumulateOp add = segment.getAddition(op->getOpResult(0));
  SmallVector<NamedAttribute> params = getMatmulParams(
      segment, m, n, getTensor(a).getNumElements() / m, true, false, false,
      add != nullptr, getTensor(a).getElementType());
  if (add && segment.program.firstAdditions.contains(add))
    params.push_back(segment.getInt("first", 1));
  segment.launch(op, "matmul", {a, b}, params);
  return success();
}

static SmallVector<NamedAttribute> getEmbeddingParams(SegmentLowering &segment,
                                                      int64_t rows,
                                                      int64_t width, Value ids,
                                                      Type element) {
  return {segment.getInt("rows", rows), segment.getInt("width", width),
          segment.getInt("count", getTensor(ids).getNumElements()),
          segment.getInt("dtype", getDType(element))};
}

void nlp::addMatmulLowerings(LoweringTable &table) {
  table.add<LinearOp>(lowerLinear);
  table.add<LinearWeightGradOp>(lowerWeightGrad);
  table.add<EmbeddingOp>([](EmbeddingOp op, SegmentLowering &segment) {
    RankedTensorType type = getTensor(op.getTable());
    segment.launch(op, "embedding", {op.getTable(), op.getIds()},
                   getEmbeddingParams(segment, type.getDimSize(0),
                                      type.getDimSize(1), op.getIds(),
                                      type.getElementType()));
    return success();
  });
  table.add<EmbeddingGradOp>([](EmbeddingGradOp op, SegmentLowering &segment) {
    RankedTensorType type = getTensor(op.getResult());
    segment.launch(op, "embedding_grad", {op.getResultGrad(), op.getIds()},
                   getEmbeddingParams(segment, type.getDimSize(0),
                                      type.getDimSize(1), op.getIds(),
                                      type.getElementType()));
    return success();
  });
}
