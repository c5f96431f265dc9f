//===- StepOps.cpp - Verifiers of steps, segments, slots, symbols ---------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/IR/Schedule.h"

using namespace mlir;
using namespace nlp;

#define GET_OP_CLASSES
#include "nlp/Dialect/NLP/IR/StepOps.cpp.inc"

void NLPDialect::registerStepOps() {
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/StepOps.cpp.inc"
      >();
}

int64_t nlp::countMicroBatches(StepOp step) {
  if (!step.getSchedule())
    return 1;
  int64_t last = 0;
  for (auto run : step.getScheduleAttr().getAsRange<RunAttr>())
    last = std::max(last, run.getMicroBatch());
  return last + 1;
}

LogicalResult ParameterOp::verify() {
  double scale = getInitScale().convertToDouble();
  if (getInit() == InitKind::Normal ? !(scale > 0.0) : scale != 0.0) // (C1)
    return emitOpError("expected a positive scale for init normal and none "
                       "otherwise, but got ")
           << scale;
  return success();
}

LogicalResult StepOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<SegmentOp, SlotOp>(op)) // (C1)
      return op.emitOpError("expected only segments and slots in a step");
  if (!getSchedule())
    return success();
  llvm::DenseSet<int64_t> forwarded;
  int64_t runs = getScheduleAttr().size();
  for (Attribute attr : getScheduleAttr()) {
    auto run = cast<RunAttr>(attr);
    if (run.getMicroBatch() >= runs) // (C4)
      return emitOpError("expected micro-batches numbered from 0, but got ")
             << run.getMicroBatch() << " in a schedule of " << runs << " runs";
    auto segment = dyn_cast_or_null<SegmentOp>(
        mlir::SymbolTable::lookupSymbolIn(*this, run.getSegment()));
    if (!segment) // (C2)
      return emitOpError("expected a segment of this step, but schedule names ")
             << run.getSegment();
    if (segment.getKind() == SegmentKind::Forward)
      forwarded.insert(run.getMicroBatch());
    if (segment.getKind() == SegmentKind::Backward &&
        !forwarded.contains(run.getMicroBatch())) // (C3)
      return emitOpError("schedule runs ")
             << run.getSegment() << " for micro-batch " << run.getMicroBatch()
             << " before its forward segment";
  }
  return success();
}

LogicalResult SegmentOp::verifyRegions() {
  auto turns = llvm::range_size(getBody().front().getOps<TurnOp>());
  size_t wanted = getKind() == SegmentKind::ForwardBackward ? 1 : 0;
  if (turns != wanted) // (C1)
    return emitOpError("expected ")
           << wanted << " nlp.turn in a " << stringifySegmentKind(getKind())
           << " segment, but got " << turns;
  return success();
}

/// Looks up slot `name` in the step around `op` and checks its type.
static SlotOp lookupSlot(Operation *op, SymbolTableCollection &tables,
                         FlatSymbolRefAttr name, Type type) {
  auto step = op->getParentOfType<StepOp>();
  SlotOp slot = step ? tables.lookupSymbolIn<SlotOp>(step, name) : SlotOp();
  if (!slot) {
    op->emitOpError("expected a slot of this step, but got ") << name;
    return {};
  }
  if (slot.getType() != type) {
    op->emitOpError("expected a value of type ")
        << slot.getType() << ", the type of " << name << ", but got " << type;
    return {};
  }
  return slot;
}

LogicalResult SlotLoadOp::verifySymbolUses(SymbolTableCollection &tables) {
  return success(lookupSlot(*this, tables, getSlotAttr(),
                            getResult().getType()) != nullptr);
}
LogicalResult SlotStoreOp::verifySymbolUses(SymbolTableCollection &tables) {
  SlotOp slot = lookupSlot(*this, tables, getSlotAttr(), getValue().getType());
  if (!slot)
    return failure();
  if (slot.getAccumulate())
    return emitOpError("expected a slot that does not accumulate, but got ")
           << getSlotAttr();
  return success();
}
LogicalResult
SlotAccumulateOp::verifySymbolUses(SymbolTableCollection &tables) {
  SlotOp slot = lookupSlot(*this, tables, getSlotAttr(), getValue().getType());
  if (!slot)
    return failure();
  if (!slot.getAccumulate())
    return emitOpError("expected an accumulating slot, but got ")
           << getSlotAttr();
  return success();
}

/// Looks up a parameter or state and checks its type.
static Operation *lookupStorage(Operation *op, SymbolTableCollection &tables,
                                FlatSymbolRefAttr name, Type type) {
  auto module = op->getParentOfType<ModuleOp>();
  Operation *symbol = module ? tables.lookupSymbolIn(module, name) : nullptr;
  if (!isa_and_nonnull<ParameterOp, StateOp>(symbol)) {
    op->emitOpError("expected a parameter or a state, but got ") << name;
    return nullptr;
  }
  Type declared = isa<ParameterOp>(symbol) ? cast<ParameterOp>(symbol).getType()
                                           : cast<StateOp>(symbol).getType();
  if (declared != type) {
    op->emitOpError("expected a value of type ")
        << declared << ", the type of " << name << ", but got " << type;
    return nullptr;
  }
  return symbol;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &tables) {
  return success(lookupStorage(*this, tables, getSymbolAttr(),
                               getResult().getType()) != nullptr); // (C1)
}
LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol =
      lookupStorage(*this, tables, getSymbolAttr(), getValue().getType());
  if (!symbol) // (C1)
    return failure();
  if (auto parameter = dyn_cast<ParameterOp>(symbol))
    if (parameter.getFrozen()) // (C1)
      return emitOpError("cannot assign frozen parameter ") << getSymbolAttr();
  return success();
}

LogicalResult InputOp::verify() {
  if (cast<RankedTensorType>(getResult().getType()).getRank() != 2) // (C1)
    return emitOpError("expected a result [sequences, tokens], but got ")
           << getResult().getType();
  return success();
}

LogicalResult RuntimeScalarOp::verify() {
  bool integer = llvm::is_contained({RuntimeScalarKind::StepNumber,
                                     RuntimeScalarKind::StepSeed,
                                     RuntimeScalarKind::FirstSequence},
                                    getScalar());
  Type element = cast<RankedTensorType>(getResult().getType()).getElementType();
  if (element.isInteger() != integer) // (C1)
    return emitOpError("expected element type ")
           << (integer ? "i64" : "f64") << " for "
           << stringifyRuntimeScalarKind(getScalar()) << ", but got "
           << element;
  return success();
}
