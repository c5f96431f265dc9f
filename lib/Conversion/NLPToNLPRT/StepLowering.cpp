//===- StepLowering.cpp - Symbols, slots, inputs and figures as buffers ---===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"

using namespace mlir;
using namespace nlp;

static void copyWhole(Operation *op, SegmentLowering &segment, Value from,
                      Value to) {
  int64_t count = cast<MemRefType>(from.getType()).getNumElements();
  segment.launchOn(
      op, "copy", {from}, {to},
      {segment.getInts("shape", {count}), segment.getInts("in_strides", {1}),
       segment.getInt("in_offset", 0), segment.getInts("out_strides", {1}),
       segment.getInt("out_offset", 0)});
}

/// Stores a value unless it was computed in place.
static LogicalResult store(Operation *op, SegmentLowering &segment, Value value,
                           StringRef name) {
  Value to =
      segment.getProgramBuffer(segment.program.byName[name], op->getLoc());
  Value from = segment.getBuffer(value);
  if (from != to)
    copyWhole(op, segment, from, to);
  return success();
}

static LogicalResult lowerAccumulate(SlotAccumulateOp op,
                                     SegmentLowering &segment) {
  StringRef name = segment.program.slots[op.getSlot()];
  bool first = segment.program.firstAdditions.contains(op);
  auto value = cast<OpResult>(op.getValue());
  if ((first && segment.program.microBatches == 1) ||
      segment.getAddition(value) == op)
    return store(op, segment, op.getValue(), name);
  rt::AccumulateOp::create(
      segment.builder, op.getLoc(), segment.getBuffer(op.getValue()),
      segment.getProgramBuffer(segment.program.byName[name], op.getLoc()),
      first);
  return success();
}

/// The program buffer behind an op that reads what the training loop provides.
static LogicalResult readPort(Operation *op, SegmentLowering &segment,
                              const Twine &name, rt::BufferKind kind,
                              rt::Category category, int64_t port) {
  Value result = op->getResult(0);
  FailureOr<rt::BufferOp> buffer = segment.program.getOrCreate(
      name.str(), op->getLoc(), getBufferType(result.getType()), kind, category,
      port);
  if (failed(buffer))
    return failure();
  segment.setBuffer(result, segment.getProgramBuffer(*buffer, op->getLoc()));
  return success();
}

void nlp::addStepLowerings(LoweringTable &table) {
  table.add<ReadOp>([](ReadOp op, SegmentLowering &segment) {
    StringRef name = segment.program.symbols[op.getSymbol()];
    segment.setBuffer(
        op.getResult(),
        segment.getProgramBuffer(segment.program.byName[name], op.getLoc()));
    return success();
  });
  table.add<SlotLoadOp>([](SlotLoadOp op, SegmentLowering &segment) {
    StringRef name = segment.program.slots[op.getSlot()];
    segment.setBuffer(
        op.getResult(),
        segment.getProgramBuffer(segment.program.byName[name], op.getLoc()));
    return success();
  });
  table.add<AssignOp>([](AssignOp op, SegmentLowering &segment) {
    return store(op, segment, op.getValue(),
                 segment.program.symbols[op.getSymbol()]);
  });
  table.add<SlotStoreOp>([](SlotStoreOp op, SegmentLowering &segment) {
    return store(op, segment, op.getValue(),
                 segment.program.slots[op.getSlot()]);
  });
  table.add<SlotAccumulateOp>(lowerAccumulate);
  table.add<InputOp>([](InputOp op, SegmentLowering &segment) {
    return readPort(op, segment, "input." + stringifyInputRole(op.getRole()),
                    rt::BufferKind::Input, rt::Category::Activations,
                    static_cast<int64_t>(op.getRole()));
  });
  table.add<RuntimeScalarOp>([](RuntimeScalarOp op, SegmentLowering &segment) {
    return readPort(op, segment,
                    "scalar." + stringifyRuntimeScalarKind(op.getScalar()),
                    rt::BufferKind::Scalar, rt::Category::Transients,
                    static_cast<int64_t>(op.getScalar()));
  });
  table.add<ReportOp>([](ReportOp op, SegmentLowering &segment) {
    FailureOr<rt::BufferOp> buffer = segment.program.getOrCreate(
        ("figure." + stringifyReportKind(op.getFigure())).str(), op.getLoc(),
        getBufferType(op.getValue().getType()), rt::BufferKind::Figure,
        rt::Category::Transients, static_cast<int64_t>(op.getFigure()));
    if (failed(buffer))
      return failure();
    copyWhole(op, segment, segment.getBuffer(op.getValue()),
              segment.getProgramBuffer(*buffer, op.getLoc()));
    return success();
  });
  table.add<TurnOp>([](TurnOp, SegmentLowering &) { return success(); });
}
