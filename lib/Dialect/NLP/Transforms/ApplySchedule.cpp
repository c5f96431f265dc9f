//===- ApplySchedule.cpp - Order the passes of the micro-batches ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One stage. `none` and `one_f_one_b` let each micro-batch's backward pass
// follow its forward pass at once, in one segment. `gpipe` runs all forward
// passes first, so that the segment is cut in two at `nlp.turn`; values that
// cross the cut are stored in slots, except those that cost nothing to make
// again (parameters, inputs, scalars, constants).
//
//===----------------------------------------------------------------------===//

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

/// Declares slots in a step.
struct SlotDeclarer {
  explicit SlotDeclarer(StepOp step) : symbols(step), builder(step) {
    // Slots stand before the segments.
    auto segments = step.getBody().front().getOps<SegmentOp>();
    builder.setInsertionPoint(*segments.begin());
  }

  /// A slot for `value` under a name that the step does not use yet.
  std::string declare(Value value) {
    std::string name;
    do {
      name = ("saved." + Twine(next++)).str();
    } while (symbols.lookup(name));
    SlotOp::create(builder, value.getLoc(), name, StringAttr(),
                   cast<RankedTensorType>(value.getType()),
                   /*accumulate=*/false, FlatSymbolRefAttr());
    return name;
  }

  SymbolTable symbols;
  OpBuilder builder;
  int64_t next = 0;
};
} // namespace

/// Hands `value` from the segment that computes it to `uses`, in another
/// segment.
static void carryOver(Value value, ArrayRef<OpOperand *> uses,
                      SlotDeclarer &slots) {
  Operation *def = value.getDefiningOp();
  OpBuilder builder(uses.front()->getOwner());
  Value carried;
  if (isSource(def)) {
    carried =
        builder.clone(*def)->getResult(cast<OpResult>(value).getResultNumber());
  } else {
    std::string slot = slots.declare(value);
    carried =
        SlotLoadOp::create(builder, value.getLoc(), value.getType(), slot);
    builder.setInsertionPointAfter(def);
    SlotStoreOp::create(builder, value.getLoc(), slot, value);
  }
  for (OpOperand *use : uses)
    use->set(carried);
}

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

  llvm::MapVector<Value, SmallVector<OpOperand *>> crossing;
  for (Operation &op : backwardOps)
    for (OpOperand &operand : op.getOpOperands())
      if (operand.get().getParentBlock() != &backwardOps)
        crossing[operand.get()].push_back(&operand);
  SlotDeclarer slots(step);
  for (auto &[value, uses] : crossing)
    carryOver(value, uses, slots);
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
