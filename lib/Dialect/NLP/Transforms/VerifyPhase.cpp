//===- VerifyPhase.cpp - Check what a phase promises ----------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanParts.h"
#include "StepRewrite.h"
#include "nlp/Dialect/NLP/IR/Schedule.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_VERIFYPHASE
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct VerifyPhase : nlp::impl::VerifyPhaseBase<VerifyPhase> {
  using VerifyPhaseBase::VerifyPhaseBase;

  void runOnOperation() override;
};
} // namespace

/// Fails unless `segment` reports `figure` once.
static LogicalResult verifyReport(SegmentOp segment, ReportKind figure) {
  int64_t count =
      llvm::count_if(getOps(segment).getOps<ReportOp>(), [&](ReportOp report) {
        return report.getFigure() == figure;
      });
  if (count != 1)
    return segment.emitOpError("expected one report of ")
           << stringifyReportKind(figure) << ", but got " << count;
  return success();
}

/// The input that `ids` are, perhaps in another shape; null if none.
static InputOp findInput(Value ids) {
  while (auto reshape = ids.getDefiningOp<ReshapeOp>())
    ids = reshape.getInput();
  return ids.getDefiningOp<InputOp>();
}

/// Inputs have the model's length, and whoever looks up an id has a row for
/// each of its vocabulary.
static LogicalResult verifyModel(StepOp step) {
  ModelAttr model = step.getModelAttr();
  if (!model)
    return success();
  auto verifyRows = [&](Operation *op, Value ids, int64_t rows) {
    if (!findInput(ids) || rows >= model.getVocabSize())
      return success();
    op->emitOpError("expected ")
        << model.getVocabSize() << " rows or more, the vocabulary of the model"
        << ", but got " << rows;
    return failure();
  };
  WalkResult result = step.walk([&](Operation *op) -> WalkResult {
    if (auto input = dyn_cast<InputOp>(op)) {
      ArrayRef<int64_t> shape = input.getType().getShape();
      if (shape.back() != model.getSeqLen())
        return op->emitOpError("expected sequences of ")
               << model.getSeqLen() << " tokens, as the model has, but got "
               << shape.back();
    } else if (auto embedding = dyn_cast<EmbeddingOp>(op)) {
      auto table = cast<RankedTensorType>(embedding.getTable().getType());
      return verifyRows(op, embedding.getIds(), table.getDimSize(0));
    } else if (auto loss = dyn_cast<CrossEntropyOp>(op)) {
      auto logits = cast<RankedTensorType>(loss.getLogits().getType());
      return verifyRows(op, loss.getTargets(), logits.getShape().back());
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// One forward segment that reports the loss, and nothing else.
static LogicalResult verifyGraph(StepOp step) {
  FailureOr<SegmentOp> forward = getOnlySegment(step, SegmentKind::Forward);
  if (failed(forward))
    return failure();
  if (step.getSchedule() || !llvm::hasSingleElement(step.getBody().front()))
    return step.emitOpError("expected one forward segment, and neither slots "
                            "nor a schedule");
  if (failed(verifyReport(*forward, ReportKind::Loss)))
    return failure();
  return verifyModel(step);
}

/// Where parameters may be assigned: in the update, and in the backward pass of
/// a step that runs it once.
static SmallVector<SegmentOp> getUpdatingSegments(StepOp step,
                                                  SegmentOp update) {
  SmallVector<SegmentOp> segments = {update};
  if (step.getScheduleAttr().size() == 2)
    llvm::append_range(segments,
                       getSegments(step, SegmentKind::ForwardBackward));
  return segments;
}

/// Each gradient is accumulated, loaded by the update, and assigned.
static LogicalResult verifyGradients(StepOp step, SegmentOp update) {
  DenseSet<StringAttr> accumulated, loaded, assigned;
  step.walk([&](SlotAccumulateOp op) {
    accumulated.insert(op.getSlotAttr().getAttr());
  });
  for (SegmentOp segment : getUpdatingSegments(step, update)) {
    for (auto op : getOps(segment).getOps<SlotLoadOp>())
      loaded.insert(op.getSlotAttr().getAttr());
    for (auto op : getOps(segment).getOps<AssignOp>())
      if (!assigned.insert(op.getSymbolAttr().getAttr()).second)
        return op.emitOpError("assigns ") << op.getSymbolAttr() << " again";
  }
  for (auto slot : step.getBody().front().getOps<SlotOp>()) {
    auto parameter = slot.getParameterAttr();
    if (!parameter)
      continue;
    StringAttr name = slot.getSymNameAttr();
    if (!accumulated.contains(name) || !loaded.contains(name) ||
        !assigned.contains(parameter.getAttr()))
      return slot.emitOpError("expected a gradient that is accumulated, loaded "
                              "by the update segment, and used to assign ")
             << parameter;
  }
  return success();
}

/// The micro-batches of the schedule make up the global batch.
static LogicalResult verifyBatch(StepOp step) {
  FailureOr<std::optional<int64_t>> batch = getInputBatch(step);
  if (failed(batch))
    return failure();
  ModelAttr model = step.getModelAttr();
  if (!model || !*batch)
    return success();
  int64_t microBatches = countMicroBatches(step);
  int64_t sequences = **batch * microBatches;
  if (sequences != model.getGlobalBatch())
    return step.emitOpError("expected micro-batches of ")
           << model.getGlobalBatch() << " sequences in all, but got "
           << microBatches << " of " << **batch;
  return success();
}

/// A schedule over segments for training and update, and one for evaluation.
static LogicalResult verifyJoint(StepOp step) {
  if (!step.getSchedule() || step.getScheduleAttr().empty())
    return step.emitOpError("expected a schedule");
  FailureOr<SegmentOp> update = getOnlySegment(step, SegmentKind::Update);
  if (failed(update))
    return failure();
  FailureOr<SegmentOp> evaluate = getOnlySegment(step, SegmentKind::Evaluate);
  if (failed(evaluate))
    return failure();
  auto last = cast<RunAttr>(step.getScheduleAttr().getValue().back());
  if (last.getSegment().getAttr() != update->getSymNameAttr())
    return step.emitOpError("expected the update as the last run, but got ")
           << last;
  if (failed(verifyReport(*update, ReportKind::Loss)) ||
      failed(verifyReport(*update, ReportKind::GradNorm)) ||
      failed(verifyReport(*evaluate, ReportKind::Loss)) ||
      failed(verifyGradients(step, *update)) || failed(verifyModel(step)))
    return failure();
  return verifyBatch(step);
}

/// A joint step with a plan.
static LogicalResult verifyPlanned(StepOp step) {
  if (!step.getPlan())
    return step.emitOpError("expected a plan");
  return verifyJoint(step);
}

/// A joint step whose plan is carried out.
static LogicalResult verifyApplied(ModuleOp module, StepOp step) {
  if (PlanAttr plan = step.getPlanAttr(); plan && !isCarriedOut(step, plan))
    return step.emitOpError("expected a plan that is carried out, but got ")
           << plan;
  if (failed(checkOpPlans(step, [](PlannedOpInterface op, OpPlanAttr plan) {
        return LogicalResult(
            op->emitOpError("expected a plan that is carried out, but got ")
            << plan);
      })))
    return failure();
  for (auto segment : step.getBody().front().getOps<SegmentOp>())
    if (segment.getOrderAttr())
      return segment.emitOpError("expected an order that is carried out");
  for (auto parameter : module.getOps<ParameterOp>())
    if (parameter.getShardingAttr())
      return parameter.emitOpError("expected a sharding that is carried out");
  for (auto state : module.getOps<StateOp>())
    if (state.getShardingAttr())
      return state.emitOpError("expected a sharding that is carried out");
  return verifyJoint(step);
}

static LogicalResult verify(ModuleOp module, Phase phase) {
  auto steps = llvm::to_vector(module.getOps<StepOp>());
  if (steps.size() != 1)
    return module.emitOpError("expected one step, but got ") << steps.size();
  StepOp step = steps.front();
  switch (phase) {
  case Phase::Graph:
    return verifyGraph(step);
  case Phase::Joint:
    return verifyJoint(step);
  case Phase::Planned:
    return verifyPlanned(step);
  case Phase::Applied:
    return verifyApplied(module, step);
  }
  llvm_unreachable("unknown phase");
}

void VerifyPhase::runOnOperation() {
  if (failed(verify(getOperation(), phase)))
    signalPassFailure();
  markAllAnalysesPreserved();
}
