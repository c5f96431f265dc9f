//===- Schedule.cpp - Bring segments into their order ---------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OrderOps.h"
#include "StepRewrite.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_SCHEDULE
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct Schedule : nlp::impl::ScheduleBase<Schedule> {
  using ScheduleBase::ScheduleBase;

  void runOnOperation() override;
};
} // namespace

static LogicalResult orderSegments(StepOp step) {
  auto segments = step.getBody().front().getOps<SegmentOp>();
  for (SegmentOp segment : segments)
    if (failed(checkOrder(segment, /*allowRecompute=*/false)))
      return failure();
  for (SegmentOp segment : segments)
    if (segment.getOrderAttr())
      applyOrder(segment);
  return success();
}

void Schedule::runOnOperation() {
  if (failed(editStep(getOperation(), orderSegments)))
    signalPassFailure();
}
