//===- AttentionLowering.cpp - Attention and rotary positions -------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"
#include "nlprt/counter_random.h"

using namespace mlir;
using namespace nlp;

template <typename Op>
static SmallVector<NamedAttribute> getParams(Op op, SegmentLowering &segment) {
  auto query = cast<RankedTensorType>(op.getQuery().getType()),
       key = cast<RankedTensorType>(op.getKey().getType());
  StringRef site = op.getSite();
  return {segment.getInt("batch", query.getDimSize(0)),
          segment.getInt("queries", query.getDimSize(1)),
          segment.getInt("keys", key.getDimSize(1)),
          segment.getInt("heads", query.getDimSize(2)),
          segment.getInt("kv_heads", key.getDimSize(2)),
          segment.getInt("dim", query.getDimSize(3)),
          segment.getInt("mask", static_cast<int64_t>(op.getMask())),
          segment.getInt("window", op.getWindow()),
          segment.getReal("scale", op.getScale().convertToDouble()),
          segment.getReal("dropout", op.getDropout().convertToDouble()),
          segment.getInt("site", site.empty()
                                     ? 0
                                     : static_cast<int64_t>(nlprt_hash_name(
                                           site.str().c_str()))),
          segment.getInt("dtype", getDType(query.getElementType()))};
}

/// Appends the operands that only dropout reads.
template <typename Op>
static SmallVector<Value> withDropout(Op op, SmallVector<Value> ins) {
  if (op.getSeed())
    ins.append({op.getSeed(), op.getFirstSequence()});
  return ins;
}

void nlp::addAttentionLowerings(LoweringTable &table) {
  table.add<AttentionOp>([](AttentionOp op, SegmentLowering &segment) {
    segment.launch(op, "attention",
                   withDropout(op, {op.getQuery(), op.getKey(), op.getValue()}),
                   getParams(op, segment));
    return success();
  });
  table.add<AttentionGradOp>([](AttentionGradOp op, SegmentLowering &segment) {
    segment.launch(
        op, "attention_grad",
        withDropout(op, {op.getResultGrad(), op.getQuery(), op.getKey(),
                         op.getValue(), op.getResult(), op.getLse()}),
        getParams(op, segment));
    return success();
  });
  table.add<RopeOp>([](RopeOp op, SegmentLowering &segment) {
    OpBuilder &builder = segment.builder;
    segment.launch(
        op, "rope", {op.getInput()},
        {builder.getNamedAttr("frequencies", op.getFrequenciesAttr()),
         segment.getInt("inverse", op.getInverse())});
    return success();
  });
}
