//===- ApplyRecompute.cpp - Clone ops whose results are not kept ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the backward pass in order. An op that uses a marked value makes clones
// of the op behind it and, transitively, of the marked ops behind that, in
// their forward order, just before itself; later uses share them. Clones of
// pure and counter-random ops give the same bits. The clones must stay apart
// from the originals: common-subexpression elimination would undo the plan.
//
// Where the segment has an order, the order says which clones there are and
// where they run.
//
//===----------------------------------------------------------------------===//

#include "OrderOps.h"
#include "PlanParts.h"
#include "StepRewrite.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_APPLYRECOMPUTE
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct ApplyRecompute : nlp::impl::ApplyRecomputeBase<ApplyRecompute> {
  using ApplyRecomputeBase::ApplyRecomputeBase;

  void runOnOperation() override;
};

/// Serves the backward pass of one segment with clones.
class Recomputer {
public:
  explicit Recomputer(SegmentOp segment);

  void run();

private:
  void cloneBefore(Operation *user);

  SegmentOp segment;
  /// Positions of forward ops.
  DenseMap<Operation *, size_t> positions;
  DenseMap<Operation *, Operation *> clones;
};
} // namespace

Recomputer::Recomputer(SegmentOp segment) : segment(segment) {
  for (Operation &op : getOps(segment)) {
    if (isa<TurnOp>(op))
      break;
    positions.try_emplace(&op, positions.size());
  }
}

/// Points the marked operands of `user` to clones, which it makes before `user`
/// where there are none yet.
void Recomputer::cloneBefore(Operation *user) {
  // Marked ops behind `user` that have no clone.
  SmallVector<Operation *> missing;
  DenseSet<Operation *> seen;
  auto collect = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); isRecomputed(operand) &&
                                                    !clones.contains(def) &&
                                                    seen.insert(def).second)
        missing.push_back(def);
  };
  collect(user);
  for (size_t next = 0; next < missing.size(); ++next)
    collect(missing[next]);
  llvm::sort(missing, [&](Operation *a, Operation *b) {
    return positions.lookup(a) < positions.lookup(b);
  });
  auto redirect = [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto result = dyn_cast<OpResult>(operand.get()); isRecomputed(result))
        operand.set(clones.lookup(result.getOwner())
                        ->getResult(result.getResultNumber()));
  };
  for (Operation *op : missing) {
    Operation *clone = cloneForRecompute(op);
    redirect(clone);
    user->getBlock()->getOperations().insert(Block::iterator(user), clone);
    clones[op] = clone;
  }
  redirect(user);
}

void Recomputer::run() {
  auto backward = llvm::make_range(std::next(Block::iterator(getTurn(segment))),
                                   getOps(segment).end());
  for (Operation &op : llvm::make_early_inc_range(backward))
    cloneBefore(&op);
}

/// Fails on marks that this pass does not know, or that stand where no backward
/// pass follows.
static LogicalResult checkMarks(PlannedOpInterface op, bool isForward) {
  OpPlanAttr plan = op.getOpPlan();
  for (StorageKind kind : plan ? plan.getStorage() : ArrayRef<StorageKind>()) {
    if (kind == StorageKind::Keep)
      continue;
    if (kind != StorageKind::Recompute)
      return op->emitOpError() << "storage '" << stringifyStorageKind(kind)
                               << "' is not supported yet";
    if (!isForward)
      return op->emitOpError("is marked 'recompute' outside of the forward "
                             "pass of a forward_backward segment");
  }
  return success();
}

static LogicalResult checkMarks(SegmentOp segment) {
  bool isForward = segment.getKind() == SegmentKind::ForwardBackward;
  for (Operation &op : getOps(segment)) {
    isForward &= !isa<TurnOp>(op);
    if (auto planned = dyn_cast<PlannedOpInterface>(op);
        planned && failed(checkMarks(planned, isForward)))
      return failure();
  }
  return success();
}

static LogicalResult applyRecompute(StepOp step) {
  for (auto segment : step.getBody().front().getOps<SegmentOp>())
    if (failed(checkMarks(segment)))
      return failure();
  SmallVector<SegmentOp> passes =
      getSegments(step, SegmentKind::ForwardBackward);
  for (SegmentOp segment : passes)
    if (failed(checkOrder(segment, /*allowRecompute=*/true)))
      return failure();
  SmallVector<Operation *> marked;
  for (SegmentOp segment : passes) {
    for (Operation &op : getOps(segment))
      if (llvm::any_of(op.getResults(), isRecomputed))
        marked.push_back(&op);
    if (segment.getOrderAttr())
      applyOrder(segment);
    else
      Recomputer(segment).run();
  }
  for (Operation *op : llvm::reverse(marked)) {
    updateOpPlan(cast<PlannedOpInterface>(op),
                 [](OpPlanFields &fields) { fields.storage.clear(); });
    if (isOpTriviallyDead(op))
      op->erase();
  }
  // What is left says `keep` everywhere.
  step.walk([](PlannedOpInterface op) {
    updateOpPlan(op, [](OpPlanFields &fields) { fields.storage.clear(); });
  });
  return success();
}

void ApplyRecompute::runOnOperation() {
  if (failed(editStep(getOperation(), applyRecompute)))
    signalPassFailure();
}
