//===- CarryOver.cpp - Hand values from segment to segment ----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value is carried once, to just before its first use. Linear in the ops.
//
//===----------------------------------------------------------------------===//

#include "CarryOver.h"
#include "StepRewrite.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace nlp;

namespace {
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

void nlp::carryOver(StepOp step, Block &ops) {
  llvm::MapVector<Value, SmallVector<OpOperand *>> crossing;
  for (Operation &op : ops)
    for (OpOperand &operand : op.getOpOperands())
      if (operand.get().getParentBlock() != &ops)
        crossing[operand.get()].push_back(&operand);
  SlotDeclarer slots(step);
  for (auto &[value, uses] : crossing)
    ::carryOver(value, uses, slots);
}
