//===- ApplyUpdateInBackward.cpp - Update where gradients are complete ----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs behind all passes that add or move ops of the backward pass: only then
// is it known where a parameter is read last. An op that is recomputed late
// reads the parameter late, and has to see the old value. What stays in the
// update segment and needs a part of an update, as the norm needs square sums,
// gets it through a slot.
//
//===----------------------------------------------------------------------===//

#include "CarryOver.h"
#include "PlanParts.h"
#include "StepRewrite.h"
#include "nlp/Analysis/GradientUpdates.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_APPLYUPDATEINBACKWARD
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct ApplyUpdateInBackward
    : nlp::impl::ApplyUpdateInBackwardBase<ApplyUpdateInBackward> {
  using ApplyUpdateInBackwardBase::ApplyUpdateInBackwardBase;

  void runOnOperation() override;
};
} // namespace

static LogicalResult applyUpdateInBackward(StepOp step) {
  PlanAttr plan = step.getPlanAttr();
  if (!plan || !plan.getUpdateInBackward())
    return success();
  SegmentOp passes = findSegment(step, SegmentKind::ForwardBackward),
            update = findSegment(step, SegmentKind::Update);
  if (passes && passes.getOrderAttr())
    return passes.emitOpError("expected its order to be carried out by "
                              "nlp-schedule before updates are moved into it");
  std::vector<GradientUpdate> parts = findGradientUpdates(step);
  if (parts.empty())
    return step.emitOpError("expected one micro-batch, and updates of which "
                            "each needs one gradient, to update in the "
                            "backward pass");
  for (GradientUpdate &part : parts) {
    Operation *behind = part.behind;
    for (Operation *op : part.ops) {
      op->moveAfter(behind);
      behind = op;
    }
  }
  carryOver(step, getOps(passes));
  carryOver(step, getOps(update));
  eraseDeadOps(getOps(update));
  updatePlan(step, [](PlanFields &fields) { fields.updateInBackward = false; });
  return success();
}

void ApplyUpdateInBackward::runOnOperation() {
  if (failed(editStep(getOperation(), applyUpdateInBackward)))
    signalPassFailure();
}
