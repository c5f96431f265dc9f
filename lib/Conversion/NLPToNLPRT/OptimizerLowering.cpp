//===- OptimizerLowering.cpp - Clipping and updates as generated kernels --===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"

using namespace mlir;
using namespace nlp;

template <typename Op>
static SmallVector<NamedAttribute> getParams(Op op, SegmentLowering &segment) {
  return {segment.getInt("has_factor", op.getGradFactor() != nullptr),
          segment.getInt("has_decay", op.getWeightDecay() != nullptr)};
}

void nlp::addOptimizerLowerings(LoweringTable &table) {
  table.add<SquareSumOp>([](SquareSumOp op, SegmentLowering &segment) {
    segment.launch(op, "square_sum", {op.getInput()}, {});
    return success();
  });
  table.add<ClipFactorOp>([](ClipFactorOp op, SegmentLowering &segment) {
    segment.launch(op, "clip_factor", op->getOperands(), {});
    return success();
  });
  // Catalogue order: moments, then factor, scalars, decay before the step.
  table.add<AdamWOp>([](AdamWOp op, SegmentLowering &segment) {
    SmallVector<Value> ins = {op.getParameter(), op.getGrad(),
                              op.getFirstMoment(), op.getSecondMoment()};
    if (op.getGradFactor())
      ins.push_back(op.getGradFactor());
    ins.append(
        {op.getLearningRate(), op.getBeta1(), op.getBeta2(), op.getEpsilon()});
    if (op.getWeightDecay())
      ins.push_back(op.getWeightDecay());
    ins.push_back(op.getStepNumber());
    segment.launch(op, "adamw", ins, getParams(op, segment));
    return success();
  });
  table.add<SGDOp>([](SGDOp op, SegmentLowering &segment) {
    SmallVector<Value> ins = {op.getParameter(), op.getGrad(),
                              op.getVelocity()};
    if (op.getGradFactor())
      ins.push_back(op.getGradFactor());
    ins.append({op.getLearningRate(), op.getMomentum()});
    if (op.getWeightDecay())
      ins.push_back(op.getWeightDecay());
    segment.launch(op, "sgd", ins, getParams(op, segment));
    return success();
  });
}
