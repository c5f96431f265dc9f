//===- GradientUpdates.cpp - What an update does with a gradient ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the update segment gives each op the gradient that it belongs
// to: that of its operands, if they agree. One over the passes finds where each
// symbol and slot is used last. Linear in the ops and their uses.
//
//===----------------------------------------------------------------------===//

#include "nlp/Analysis/GradientUpdates.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "nlp/Dialect/NLP/IR/Storage.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace nlp;

SegmentOp nlp::findSegment(StepOp step, SegmentKind kind) {
  SegmentOp found;
  for (auto segment : step.getBody().front().getOps<SegmentOp>())
    if (segment.getKind() == kind) {
      if (found)
        return {};
      found = segment;
    }
  return found;
}

/// Whether a step runs its passes once, and then the update.
static bool runsOnce(StepOp step, SegmentOp passes, SegmentOp update) {
  if (!passes || !update || !step.getSchedule() ||
      step.getScheduleAttr().size() != 2)
    return false;
  auto getSegment = [&](int64_t run) {
    return cast<RunAttr>(step.getScheduleAttr()[run]).getSegment().getAttr();
  };
  return getSegment(0) == passes.getSymNameAttr() &&
         getSegment(1) == update.getSymNameAttr();
}

/// True for ops that make a value out of what any segment is given.
static bool isSource(Operation *op) {
  return op->getNumOperands() == 0 && wouldOpBeTriviallyDead(op) &&
         !isa<SlotLoadOp>(op);
}

namespace {
/// Tells which ops of an update segment belong to which gradient.
class UpdateFinder {
public:
  UpdateFinder(StepOp step, Block &segmentOps);

  /// Whether each gradient is needed by its own part alone.
  bool isSeparable() const;
  std::vector<GradientUpdate> build() const;

private:
  /// An owner is a number of `gradients` or one of these: what any segment can
  /// make, and what stays in the update segment.
  static constexpr int Anyone = -1, Nobody = -2;

  int findOwner(Operation *op) const;
  int findReader(ReadOp read) const;
  int getOwner(Operation *op) const { return owners.find(op)->second; }

  Block &segmentOps;
  SmallVector<SlotOp> gradients;
  llvm::StringMap<int> numbers;
  DenseMap<Operation *, int> owners;
};
} // namespace

UpdateFinder::UpdateFinder(StepOp step, Block &segmentOps)
    : segmentOps(segmentOps) {
  for (auto slot : step.getBody().front().getOps<SlotOp>())
    if (slot.getParameter()) {
      numbers[slot.getSymName()] = static_cast<int>(gradients.size());
      gradients.push_back(slot);
    }
  for (Operation &op : segmentOps)
    owners[&op] = findOwner(&op);
  // What a part alone reads belongs to it.
  for (auto read : segmentOps.getOps<ReadOp>())
    owners[read] = findReader(read);
}

/// The gradient that `op` belongs to by its operands. Reports stay behind.
int UpdateFinder::findOwner(Operation *op) const {
  if (auto load = dyn_cast<SlotLoadOp>(op)) {
    auto it = numbers.find(load.getSlot());
    return it == numbers.end() ? Nobody : it->second;
  }
  if (isSource(op))
    return Anyone;
  int owner = Anyone;
  for (Value operand : op->getOperands()) {
    int other = getOwner(operand.getDefiningOp());
    if (other != Anyone && owner != Anyone && other != owner)
      return Nobody;
    owner = other == Anyone ? owner : other;
  }
  return owner == Anyone || isa<ReportOp>(op) ? Nobody : owner;
}

int UpdateFinder::findReader(ReadOp read) const {
  int reader = Anyone;
  for (Operation *user : read->getUsers()) {
    if (reader != Anyone && getOwner(user) != reader)
      return Nobody;
    reader = getOwner(user);
  }
  return reader;
}

bool UpdateFinder::isSeparable() const {
  llvm::StringMap<int> assigned;
  for (auto assign : segmentOps.getOps<AssignOp>())
    if (!assigned.try_emplace(assign.getSymbol(), getOwner(assign)).second)
      return false;
  for (Operation &op : segmentOps) {
    int owner = getOwner(&op);
    if (auto load = dyn_cast<SlotLoadOp>(op); load && owner != Nobody)
      for (Operation *user : op.getUsers())
        if (getOwner(user) != owner)
          return false;
    if (auto read = dyn_cast<ReadOp>(op))
      if (auto it = assigned.find(read.getSymbol());
          it != assigned.end() && it->second != owner)
        return false;
  }
  return llvm::none_of(assigned,
                       [](const auto &entry) { return entry.second < 0; });
}

std::vector<GradientUpdate> UpdateFinder::build() const {
  std::vector<GradientUpdate> parts(gradients.size());
  for (auto [part, gradient] : llvm::zip_equal(parts, gradients))
    part.gradient = gradient;
  for (Operation &op : segmentOps)
    if (int owner = getOwner(&op); owner >= 0)
      parts[owner].ops.push_back(&op);
  return parts;
}

namespace {
/// The last op of a block that uses each symbol and slot, or a value of it.
class LastUses {
public:
  explicit LastUses(Block &block);

  Operation *ofSymbol(StringRef name) const { return symbols.lookup(name); }
  Operation *ofSlot(StringRef name) const { return slots.lookup(name); }

private:
  static void note(Operation *&last, Operation *op);
  static void noteUses(Operation *&last, Value value);

  llvm::StringMap<Operation *> symbols, slots;
};
} // namespace

void LastUses::note(Operation *&last, Operation *op) {
  if (!last || last->isBeforeInBlock(op))
    last = op;
}

/// A view shows the bytes of what it is a view of.
void LastUses::noteUses(Operation *&last, Value value) {
  note(last, value.getDefiningOp());
  for (Operation *user : value.getUsers()) {
    note(last, user);
    if (isView(user))
      noteUses(last, user->getResult(0));
  }
}

LastUses::LastUses(Block &block) {
  for (Operation &op : block) {
    if (auto read = dyn_cast<ReadOp>(op))
      noteUses(symbols[read.getSymbol()], read.getResult());
    else if (auto load = dyn_cast<SlotLoadOp>(op))
      noteUses(slots[load.getSlot()], load.getResult());
    else if (auto add = dyn_cast<SlotAccumulateOp>(op))
      note(slots[add.getSlot()], add);
  }
}

std::vector<GradientUpdate> nlp::findGradientUpdates(StepOp step) {
  SegmentOp passes = findSegment(step, SegmentKind::ForwardBackward),
            update = findSegment(step, SegmentKind::Update);
  if (!runsOnce(step, passes, update))
    return {};
  UpdateFinder finder(step, update.getBody().front());
  if (!finder.isSeparable())
    return {};
  std::vector<GradientUpdate> parts = finder.build();
  LastUses uses(passes.getBody().front());
  for (GradientUpdate &part : parts) {
    part.behind = uses.ofSlot(part.gradient.getSymName());
    if (!part.behind || part.ops.empty())
      return {};
    for (Operation *op : part.ops)
      if (auto assign = dyn_cast<AssignOp>(op))
        if (Operation *use = uses.ofSymbol(assign.getSymbol());
            use && part.behind->isBeforeInBlock(use))
          part.behind = use;
  }
  return parts;
}
