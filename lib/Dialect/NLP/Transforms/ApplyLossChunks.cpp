//===- ApplyLossChunks.cpp - Run the loss for some tokens at a time -------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region of the loss (LossRegion.h) becomes as many copies as the plan has
// chunks. A copy reads views of its tokens: dimensions that are tokens are made
// one, behind dimensions of size 1, so that ranks and the numbers of other
// dimensions stay and a range of tokens is a range of bytes. In a
// `forward_backward` segment forward and backward part of a chunk run together
// behind the turn, in `evaluate` where the loss was.
//
//===----------------------------------------------------------------------===//

#include "PlanParts.h"
#include "StepRewrite.h"
#include "mlir/IR/IRMapping.h"
#include "nlp/Analysis/LossRegion.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace nlp {
#define GEN_PASS_DEF_APPLYLOSSCHUNKS
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct ApplyLossChunks : nlp::impl::ApplyLossChunksBase<ApplyLossChunks> {
  using ApplyLossChunksBase::ApplyLossChunksBase;

  void runOnOperation() override;
};

/// Cuts the loss of one segment into chunks.
class LossChunker {
public:
  LossChunker(SegmentOp segment, int64_t chunks);

  /// Checks that the copies may stand where they will, and collects what goes.
  LogicalResult check();

  /// What was checked is done.
  void run();

private:
  LogicalResult findHoisted();
  void addChunk(int64_t begin, int64_t size);
  void addPart(Value result, Value part, IRMapping &values);
  Value sliceTokens(Value value, int64_t begin, int64_t size);
  void replaceUses();
  void updateOrder(ArrayRef<Operation *> before);

  bool isInside(Operation *op) const { return members.contains(op); }
  bool isUsedOutside(Value result) const {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      return !replaced.contains(user);
    });
  }

  SegmentOp segment;
  int64_t chunks;
  LossRegion region;
  llvm::SmallPtrSet<Operation *, 16> members;
  /// The turn, or the last op of the region where there is none.
  Operation *anchor = nullptr;
  /// Ops behind the turn that make what enters, in order.
  SmallVector<Operation *> hoisted;
  /// Ops that go: the region and the additions to slots of what it computes.
  llvm::SetVector<Operation *> replaced;
  OpBuilder builder;
  /// Inputs with one dimension of tokens.
  DenseMap<Value, Value> flat;
  /// What is used outside: the parts of a value, or the sum so far.
  llvm::MapVector<Value, SmallVector<Value>> parts;
  llvm::MapVector<Value, Value> sums;
};
} // namespace

/// `type` with its first `dims` dimensions made one of `tokens` elements,
/// behind ones.
static RankedTensorType getTokenType(Type type, unsigned dims, int64_t tokens) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  std::fill_n(shape.begin(), dims, 1);
  shape[dims - 1] = tokens;
  return tensor.clone(shape);
}

static Value reshape(OpBuilder &builder, Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return ReshapeOp::create(builder, value.getLoc(), type, value, nullptr);
}

LossChunker::LossChunker(SegmentOp segment, int64_t chunks)
    : segment(segment), chunks(chunks), region(findLossRegion(getOps(segment))),
      builder(segment.getContext()) {
  for (const LossRegionOp &member : region.ops)
    members.insert(member.op);
}

LogicalResult LossChunker::check() {
  if (!region)
    return segment.emitOpError("has no loss that can run in chunks: ")
           << region.reason;
  if (chunks > region.tokens)
    return segment.emitOpError("expected no more loss chunks than the ")
           << region.tokens << " tokens of a micro-batch, but got " << chunks;
  bool hasTurn = segment.getKind() == SegmentKind::ForwardBackward;
  anchor = hasTurn ? getTurn(segment).getOperation() : region.ops.back().op;
  for (const LossRegionOp &member : region.ops) {
    replaced.insert(member.op);
    for (Value result : member.op->getResults())
      for (Operation *user : result.getUsers()) {
        if (isInside(user))
          continue;
        if (isa<SlotAccumulateOp>(user) && region.getTokenDims(result) == 0)
          replaced.insert(user);
        else if (!anchor->isBeforeInBlock(user))
          return user->emitOpError("uses the loss before all of its chunks are "
                                   "done");
      }
  }
  if (OrderAttr order = segment.getOrderAttr())
    for (int64_t count = getOps(segment).getOperations().size();
         int64_t position : order.getOps())
      if (position >= count)
        return segment.emitOpError("order names op ")
               << position << ", but the segment has " << count;
  return findHoisted();
}

/// Collects the ops behind the turn that have to run before the first chunk.
LogicalResult LossChunker::findHoisted() {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> pending(region.inputs);
  while (!pending.empty()) {
    Operation *def = pending.pop_back_val().getDefiningOp();
    if (!anchor->isBeforeInBlock(def) || !ops.insert(def))
      continue;
    if (!isPure(def) && (!isSource(def) || isa<SlotLoadOp>(def)))
      return def->emitOpError("gives the loss what it needs, but cannot run "
                              "before it");
    llvm::append_range(pending, def->getOperands());
  }
  hoisted = ops.takeVector();
  llvm::sort(hoisted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return success();
}

/// A view of tokens [begin, begin + size) of a value that enters.
Value LossChunker::sliceTokens(Value value, int64_t begin, int64_t size) {
  unsigned dims = region.getTokenDims(value);
  if (dims == 0)
    return value;
  return SliceOp::create(builder, value.getLoc(), flat.lookup(value), dims - 1,
                         begin, size, nullptr);
}

/// Hands on what one chunk computes of `result`.
void LossChunker::addPart(Value result, Value part, IRMapping &values) {
  bool isSum = region.getTokenDims(result) == 0;
  for (Operation *user : llvm::reverse(llvm::to_vector(result.getUsers())))
    if (!isInside(user) && replaced.contains(user))
      builder.clone(*user, values);
  if (!isUsedOutside(result))
    return;
  if (!isSum) {
    parts[result].push_back(part);
    return;
  }
  Value &sum = sums[result];
  sum = sum ? AddOp::create(builder, result.getLoc(), sum, part, nullptr)
                  .getResult()
            : part;
}

void LossChunker::addChunk(int64_t begin, int64_t size) {
  IRMapping values;
  for (Value input : region.inputs)
    values.map(input, sliceTokens(input, begin, size));
  for (const LossRegionOp &member : region.ops) {
    Operation *copy = builder.clone(*member.op, values);
    for (auto [result, part] :
         llvm::zip_equal(member.op->getResults(), copy->getResults()))
      if (unsigned dims = region.getTokenDims(result))
        part.setType(getTokenType(result.getType(), dims, size));
    // Nothing of it lives long enough to be recomputed.
    if (auto planned = dyn_cast<PlannedOpInterface>(copy))
      updateOpPlan(planned, [](OpPlanFields &plan) { plan.storage.clear(); });
    for (auto [result, part] :
         llvm::zip_equal(member.op->getResults(), copy->getResults()))
      addPart(result, part, values);
  }
}

/// Puts the parts together for users outside of the region.
void LossChunker::replaceUses() {
  auto replace = [&](Value from, Value to) {
    from.replaceUsesWithIf(
        to, [&](OpOperand &use) { return !replaced.contains(use.getOwner()); });
  };
  for (auto &[result, values] : parts) {
    unsigned dims = region.getTokenDims(result);
    Value joined =
        ConcatOp::create(builder, result.getLoc(), values, dims - 1, nullptr);
    replace(result,
            reshape(builder, joined, cast<RankedTensorType>(result.getType())));
  }
  for (auto &[result, sum] : sums)
    replace(result, sum);
}

/// Rewrites the order of the segment, which was written for the ops `before`.
void LossChunker::updateOrder(ArrayRef<Operation *> before) {
  OrderAttr order = segment.getOrderAttr();
  if (!order)
    return;
  DenseMap<Operation *, int64_t> positions;
  llvm::SmallPtrSet<Operation *, 32> old(before.begin(), before.end());
  SmallVector<Operation *> added;
  for (auto [position, op] : llvm::enumerate(getOps(segment))) {
    positions[&op] = position;
    if (!old.contains(&op))
      added.push_back(&op);
  }
  SmallVector<int64_t> ops, instances;
  auto append = [&](Operation *op, int64_t instance) {
    ops.push_back(positions.lookup(op));
    instances.push_back(instance);
  };
  // Without a turn, behind the last op of the region to run.
  size_t place = 0;
  for (auto [index, position] : llvm::enumerate(order.getOps()))
    if (before[position] == anchor ||
        (!isa<TurnOp>(anchor) && isInside(before[position])))
      place = index;
  for (size_t index = 0; index < order.getOps().size(); ++index) {
    Operation *op = before[order.getOps()[index]];
    int64_t instance = order.getInstances()[index];
    if (!replaced.contains(op) &&
        (instance > 0 || !llvm::is_contained(hoisted, op)))
      append(op, instance);
    if (index != place)
      continue;
    for (Operation *moved : hoisted)
      append(moved, 0);
    for (Operation *chunk : added)
      append(chunk, 0);
  }
  segment.setOrderAttr(OrderAttr::get(segment.getContext(), ops, instances));
}

void LossChunker::run() {
  auto before =
      llvm::map_to_vector(getOps(segment), [](Operation &op) { return &op; });
  Operation *last = anchor;
  for (Operation *op : hoisted) {
    op->moveAfter(last);
    last = op;
  }
  builder.setInsertionPointAfter(last);
  for (Value input : region.inputs)
    if (unsigned dims = region.getTokenDims(input))
      flat[input] = reshape(builder, input,
                            getTokenType(input.getType(), dims, region.tokens));
  // Sizes differ by one row at most.
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    int64_t begin = region.tokens * chunk / chunks;
    addChunk(begin, region.tokens * (chunk + 1) / chunks - begin);
  }
  replaceUses();
  for (Operation *op : llvm::reverse(before))
    if (replaced.contains(op))
      op->erase();
  updateOrder(before);
}

static LogicalResult applyLossChunks(StepOp step) {
  PlanAttr plan = step.getPlanAttr();
  if (!plan)
    return success();
  int64_t chunks = plan.getLossChunks();
  std::vector<LossChunker> chunkers;
  if (chunks > 1)
    for (auto segment : step.getBody().front().getOps<SegmentOp>())
      switch (segment.getKind()) {
      case SegmentKind::ForwardBackward:
      case SegmentKind::Evaluate:
        if (failed(chunkers.emplace_back(segment, chunks).check()))
          return failure();
        break;
      case SegmentKind::Forward:
      case SegmentKind::Backward:
      case SegmentKind::WeightGradient:
        return segment.emitOpError("is cut at the turn: expected loss chunks "
                                   "to be applied before the schedule");
      case SegmentKind::Update:
        break;
      }
  for (LossChunker &chunker : chunkers)
    chunker.run();
  updatePlan(step, [](PlanFields &fields) { fields.lossChunks = 1; });
  return success();
}

void ApplyLossChunks::runOnOperation() {
  if (failed(editStep(getOperation(), applyLossChunks)))
    signalPassFailure();
}
