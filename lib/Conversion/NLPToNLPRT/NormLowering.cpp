//===- NormLowering.cpp - Normalizations as generated kernels -------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"

using namespace mlir;
using namespace nlp;

void nlp::addNormLowerings(LoweringTable &table) {
  table.add<LayerNormOp>([](LayerNormOp op, SegmentLowering &segment) {
    segment.launch(
        op, "layer_norm", {op.getInput(), op.getWeight(), op.getBias()},
        {segment.getReal("epsilon", op.getEpsilon().convertToDouble())});
    return success();
  });
  table.add<LayerNormGradOp>([](LayerNormGradOp op, SegmentLowering &segment) {
    segment.launch(op, "layer_norm_grad",
                   {op.getResultGrad(), op.getInput(), op.getWeight(),
                    op.getMean(), op.getRstd()},
                   {});
    return success();
  });
  table.add<RMSNormOp>([](RMSNormOp op, SegmentLowering &segment) {
    segment.launch(
        op, "rms_norm", {op.getInput(), op.getWeight()},
        {segment.getReal("epsilon", op.getEpsilon().convertToDouble())});
    return success();
  });
  table.add<RMSNormGradOp>([](RMSNormGradOp op, SegmentLowering &segment) {
    segment.launch(
        op, "rms_norm_grad",
        {op.getResultGrad(), op.getInput(), op.getWeight(), op.getRstd()}, {});
    return success();
  });
}
