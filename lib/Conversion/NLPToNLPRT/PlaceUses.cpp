//===- PlaceUses.cpp - Who uses a symbol's or slot's bytes ----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear in the ops, times the reads and writes of one place.
//
//===----------------------------------------------------------------------===//

#include "PlaceUses.h"
#include "SegmentLowering.h"

using namespace mlir;
using namespace nlp;

PlaceUses::PlaceUses(Block &block) {
  auto addRead = [&](bool isSlot, FlatSymbolRefAttr name, Value value) {
    places[{isSlot, name}].holders.push_back({value, value.getDefiningOp()});
  };
  auto addWrite = [&](bool isSlot, FlatSymbolRefAttr name, Operation *op,
                      Value value) {
    places[{isSlot, name}].writes.push_back(op);
    writes.push_back({name, isSlot, op, value});
  };
  for (Operation &op : block) {
    if (auto read = dyn_cast<ReadOp>(op))
      addRead(false, read.getSymbolAttr(), read.getResult());
    else if (auto load = dyn_cast<SlotLoadOp>(op))
      addRead(true, load.getSlotAttr(), load.getResult());
    else if (auto assign = dyn_cast<AssignOp>(op))
      addWrite(false, assign.getSymbolAttr(), assign, assign.getValue());
    else if (auto store = dyn_cast<SlotStoreOp>(op))
      addWrite(true, store.getSlotAttr(), store, store.getValue());
    else if (auto add = dyn_cast<SlotAccumulateOp>(op))
      addWrite(true, add.getSlotAttr(), add, add.getValue());
  }
}

/// An op behind `op` that uses `value` or a view of it, or null.
static Operation *findUseAfter(Value value, Operation *op) {
  for (Operation *user : value.getUsers()) {
    if (op->isBeforeInBlock(user))
      return user;
    if (isView(user))
      if (Operation *use = findUseAfter(user->getResult(0), op))
        return use;
  }
  return nullptr;
}

Operation *PlaceUses::findStaleUse(const PlaceWrite &write) const {
  const Place &place = places.find({write.isSlot, write.place})->second;
  for (const Holder &holder : place.holders)
    if (holder.from->isBeforeInBlock(write.op))
      if (Operation *use = findUseAfter(holder.value, write.op))
        return use;
  return nullptr;
}

/// The value that `value` is a view of, through any views.
static Value getRoot(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isView(def))
      break;
    value = def->getOperand(0);
  }
  return value;
}

bool PlaceUses::takePlace(const PlaceWrite &write, OpResult result) {
  Operation *def = result.getOwner();
  Place &place = places.find({write.isSlot, write.place})->second;
  for (const Holder &holder : place.holders) {
    if (!holder.from->isBeforeInBlock(write.op))
      continue;
    if (findUseAfter(holder.value, def))
      return false;
    for (OpOperand &operand : def->getOpOperands())
      if (getRoot(operand.get()) == holder.value &&
          !mayOverwrite(result, operand))
        return false;
  }
  for (Operation *other : place.writes) {
    if (def->isBeforeInBlock(other) && other->isBeforeInBlock(write.op))
      return false;
    if (write.op->isBeforeInBlock(other) && findUseAfter(result, other))
      return false;
  }
  place.holders.push_back({result, def});
  return true;
}
