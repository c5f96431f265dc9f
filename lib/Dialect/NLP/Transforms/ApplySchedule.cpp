//===- ApplySchedule.cpp - Order the passes of the micro-batches ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One stage. `none` and `one_f_one_b` let each micro-batch's backward pass
// follow its forward pass at once, in one segment. `gpipe` runs all forward
// passes first, so that the segment is cut in two at `nlp.turn`; values that
// cross the cut are carried over.
//
//===----------------------------------------------------------------------===//

#include "CarryOver.h"
#include "PlanParts.h"
#include "StepRewrite.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_APPLYSCHEDULE
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct ApplySchedule : nlp::impl::ApplyScheduleBase<ApplySchedule> {
  using ApplyScheduleBase::ApplyScheduleBase;

  void runOnOperation() override;
};
} // namespace

/// Cuts `segment` at its turn; it becomes the forward segment. Returns the
/// backward segment.
static SegmentOp cutAtTurn(StepOp step, SegmentOp segment) {
  OpBuilder builder(segment->getContext());
  builder.setInsertionPointAfter(segment);
  auto backward =
      SegmentOp::create(builder, segment.getLoc(), "backward", StringAttr(),
                        SegmentKind::Backward, OrderAttr());
  Block &backwardOps = *builder.createBlock(&backward.getBody());
  TurnOp turn = getTurn(segment);
  backwardOps.getOperations().splice(
      backwardOps.end(), getOps(segment).getOperations(),
      std::next(Block::iterator(turn)), getOps(segment).end());
  turn.erase();
  segment.setSymName("forward");
  segment.setKind(SegmentKind::Forward);

  carryOver(step, backwardOps);
  eraseDeadOps(getOps(segment));
  return backward;
}

/// All forward runs, all backward runs, then the runs of other segments.
static ArrayAttr getSchedule(StepOp step, StringAttr joint, SegmentOp forward,
                             SegmentOp backward) {
  SmallVector<Attribute> forwardRuns, backwardRuns, otherRuns;
  for (auto run : step.getScheduleAttr().getAsRange<RunAttr>()) {
    if (run.getSegment().getAttr() != joint) {
      otherRuns.push_back(run);
      continue;
    }
    auto getRun = [&](SegmentOp segment) {
      return RunAttr::get(step.getContext(), FlatSymbolRefAttr::get(segment),
                          run.getMicroBatch());
    };
    forwardRuns.push_back(getRun(forward));
    backwardRuns.push_back(getRun(backward));
  }
  llvm::append_range(forwardRuns, backwardRuns);
  llvm::append_range(forwardRuns, otherRuns);
  return ArrayAttr::get(step.getContext(), forwardRuns);
}

static LogicalResult applyGPipe(StepOp step) {
  FailureOr<SegmentOp> joint =
      getOnlySegment(step, SegmentKind::ForwardBackward);
  if (failed(joint))
    return failure();
  if (joint->getOrderAttr())
    return joint->emitOpError("expected its order to be carried out by "
                              "nlp-schedule before it is cut");
  for (StringRef name : {"forward", "backward"})
    if (Operation *taken = SymbolTable::lookupSymbolIn(step, name))
      return taken->emitOpError("has the name of a segment to be made");
  StringAttr name = joint->getSymNameAttr();
  int64_t runs = llvm::count_if(
      step.getScheduleAttr().getAsRange<RunAttr>(),
      [&](RunAttr run) { return run.getSegment().getAttr() == name; });
  if (runs <= 1) // forward and backward are in turn anyway
    return success();
  SegmentOp backward = cutAtTurn(step, *joint);
  step.setScheduleAttr(getSchedule(step, name, *joint, backward));
  return success();
}

static LogicalResult applySchedule(StepOp step) {
  PlanAttr plan = step.getPlanAttr();
  if (!plan)
    return success();
  if (!step.getSchedule())
    return step.emitOpError("expected a schedule");
  ScheduleKind kind = plan.getSchedule().getKind();
  switch (kind) {
  case ScheduleKind::None:
  case ScheduleKind::OneFOneB:
    break;
  case ScheduleKind::GPipe:
    if (failed(applyGPipe(step)))
      return failure();
    break;
  case ScheduleKind::Interleaved:
  case ScheduleKind::ZBH1:
  case ScheduleKind::ZBH2:
    return step.emitOpError("schedule ")
           << stringifyScheduleKind(kind) << " is not supported yet";
  }
  updatePlan(step, [](PlanFields &fields) {
    fields.schedule =
        ScheduleAttr::get(fields.mesh.getContext(), ScheduleKind::None, 1);
  });
  return success();
}

void ApplySchedule::runOnOperation() {
  if (failed(editStep(getOperation(), applySchedule)))
    signalPassFailure();
}
