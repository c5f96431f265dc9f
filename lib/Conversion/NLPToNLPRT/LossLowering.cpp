//===- LossLowering.cpp - Losses as generated kernels ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"

using namespace mlir;
using namespace nlp;

void nlp::addLossLowerings(LoweringTable &table) {
  table.add<CrossEntropyOp>([](CrossEntropyOp op, SegmentLowering &segment) {
    segment.launch(
        op, "cross_entropy", {op.getLogits(), op.getTargets()},
        {segment.getReal("normalizer", op.getNormalizer().convertToDouble())});
    return success();
  });
  table.add<CrossEntropyGradOp>([](CrossEntropyGradOp op,
                                   SegmentLowering &segment) {
    segment.launch(
        op, "cross_entropy_grad",
        {op.getLossGrad(), op.getLogits(), op.getTargets(), op.getLse()},
        {segment.getReal("normalizer", op.getNormalizer().convertToDouble())});
    return success();
  });
}
