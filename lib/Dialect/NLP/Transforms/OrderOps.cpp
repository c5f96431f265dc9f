//===- OrderOps.cpp - Carry out an order and its recomputations -----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is checked on positions before the first op moves. Ops with side
// effects keep their order where one of them writes, except where they name
// different symbols; `nlp.turn` names none, so that no access crosses it, and
// pure ops may not cross it either: forward and backward stay what they are.
//
//===----------------------------------------------------------------------===//

#include "OrderOps.h"
#include "StepRewrite.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nlp;

bool nlp::isRecomputed(Value value) {
  auto result = dyn_cast_or_null<OpResult>(value);
  if (!result)
    return false;
  auto planned = dyn_cast<PlannedOpInterface>(result.getOwner());
  OpPlanAttr plan = planned ? planned.getOpPlan() : OpPlanAttr();
  return plan && !plan.getStorage().empty() &&
         plan.getStorage()[result.getResultNumber()] == StorageKind::Recompute;
}

Operation *nlp::cloneForRecompute(Operation *op) {
  Operation *clone = op->clone();
  cast<PlannedOpInterface>(clone).setOpPlan(nullptr);
  MLIRContext *context = op->getContext();
  clone->setLoc(FusedLoc::get({op->getLoc()},
                              StringAttr::get(context, "recompute"), context));
  return clone;
}

namespace {
/// One entry of an order.
struct Entry {
  size_t position;
  int64_t instance;
};

/// What the ops of a segment are, by position.
struct SegmentOps {
  explicit SegmentOps(SegmentOp segment);

  bool isBackward(size_t position) const { return position > turn; }

  SmallVector<Operation *> ops;
  size_t turn;
};
} // namespace

SegmentOps::SegmentOps(SegmentOp segment) {
  for (Operation &op : getOps(segment))
    ops.push_back(&op);
  turn = ops.size();
  for (auto [position, op] : llvm::enumerate(ops))
    if (isa<TurnOp>(op))
      turn = position;
}

/// The symbol that an op with side effects names, or null.
static StringAttr getSymbol(Operation *op) {
  for (NamedAttribute attr : op->getAttrDictionary())
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attr.getValue()))
      return symbol.getAttr();
  return {};
}

/// True where `a` and `b` have to keep their order.
static bool doConflict(Operation *a, Operation *b) {
  if (isPure(a) || isPure(b) ||
      (wouldOpBeTriviallyDead(a) && wouldOpBeTriviallyDead(b)))
    return false;
  StringAttr first = getSymbol(a), second = getSymbol(b);
  return !first || !second || first == second;
}

static SmallVector<Entry> getEntries(OrderAttr order) {
  SmallVector<Entry> entries;
  for (auto [position, instance] :
       llvm::zip_equal(order.getOps(), order.getInstances()))
    entries.push_back({static_cast<size_t>(position), instance});
  return entries;
}

/// Checks that each op runs once, and that recomputations are of marked ops and
/// after the turn.
static LogicalResult checkEntries(SegmentOp segment, const SegmentOps &ops,
                                  ArrayRef<Entry> entries,
                                  bool allowRecompute) {
  SmallVector<int64_t> instances(ops.ops.size(), 0);
  bool isAfterTurn = false;
  for (auto [position, instance] : entries) {
    if (position >= ops.ops.size())
      return segment.emitOpError("order names op ")
             << position << ", but the segment has " << ops.ops.size();
    Operation *op = ops.ops[position];
    if (instance != instances[position]++)
      return op->emitOpError("expected its instance ")
             << instances[position] - 1 << " next in the order, but got "
             << instance;
    if (instance > 0 && !allowRecompute)
      return op->emitOpError("is recomputed by the order: run "
                             "nlp-apply-recompute first");
    if (instance > 0 &&
        (!isAfterTurn || llvm::none_of(op->getResults(), isRecomputed)))
      return op->emitOpError("expected recomputations of ops that are marked "
                             "'recompute' only, and after nlp.turn");
    if (instance == 0 && position != ops.turn &&
        isAfterTurn != ops.isBackward(position))
      return op->emitOpError("crosses nlp.turn in the order");
    isAfterTurn |= position == ops.turn;
  }
  for (auto [op, count] : llvm::zip_equal(ops.ops, instances))
    if (count == 0)
      return op->emitOpError("is missing in the order");
  return success();
}

/// Fails where a value is used before it is there, or where accesses that
/// conflict change places.
static LogicalResult checkDependences(const SegmentOps &ops,
                                      ArrayRef<Entry> entries) {
  DenseSet<Operation *> done, recomputed;
  // Ops with side effects by position, and how many of them have run.
  SmallVector<size_t> effects;
  for (auto [position, op] : llvm::enumerate(ops.ops))
    if (!isPure(op))
      effects.push_back(position);
  for (Entry entry : entries) {
    Operation *op = ops.ops[entry.position];
    for (Value operand : op->getOperands())
      if (!done.contains(operand.getDefiningOp()))
        return op->emitOpError("runs before its operand of type ")
               << operand.getType() << " in the order";
    (entry.instance > 0 ? recomputed : done).insert(op);
    if (entry.instance > 0 || isPure(op))
      continue;
    for (size_t before : effects) {
      if (before >= entry.position)
        break;
      if (!done.contains(ops.ops[before]) && doConflict(ops.ops[before], op))
        return op->emitOpError("runs before '")
               << ops.ops[before]->getName()
               << "' in the order, but has to see its effect";
    }
    llvm::erase(effects, entry.position);
  }
  for (Operation *op : ops.ops)
    if (llvm::any_of(op->getResults(), isRecomputed) &&
        !recomputed.contains(op))
      return op->emitOpError("is marked 'recompute', but the order never "
                             "recomputes it");
  return success();
}

LogicalResult nlp::checkOrder(SegmentOp segment, bool allowRecompute) {
  OrderAttr order = segment.getOrderAttr();
  if (!order)
    return success();
  SegmentOps ops(segment);
  SmallVector<Entry> entries = getEntries(order);
  return success(
      succeeded(checkEntries(segment, ops, entries, allowRecompute)) &&
      succeeded(checkDependences(ops, entries)));
}

void nlp::applyOrder(SegmentOp segment) {
  SegmentOps ops(segment);
  Block &block = getOps(segment);
  DenseMap<Value, Value> latest;
  for (Entry entry : getEntries(segment.getOrderAttr())) {
    Operation *op = ops.ops[entry.position];
    Operation *runs = entry.instance == 0 ? op : cloneForRecompute(op);
    if (entry.instance > 0)
      block.push_back(runs);
    else
      runs->moveBefore(&block, block.end());
    if (entry.instance > 0 || ops.isBackward(entry.position))
      for (OpOperand &operand : runs->getOpOperands())
        if (Value value = latest.lookup(operand.get()))
          operand.set(value);
    if (entry.instance == 0)
      continue;
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), runs->getResults()))
      if (isRecomputed(from))
        latest[from] = to;
  }
  segment.removeOrderAttr();
}
