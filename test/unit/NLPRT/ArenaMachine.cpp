//===- ArenaMachine.cpp - Runs programs on numbers for cache lines --------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaMachine.h"
#include <set>

using namespace mlir;
using namespace nlp::rt;

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

static int64_t countLines(Type type) {
  return (getBufferBytes(cast<MemRefType>(type)) + 63) / 64;
}

ArenaMachine::Lines ArenaMachine::locate(BufferOp buffer, int64_t microBatch) {
  int64_t copy = buffer.getKind() == BufferKind::Slot ? microBatch : 0;
  int64_t count = countLines(buffer.getType());
  if (!inArena)
    return {{buffer, copy}, 0, count, Value()};
  int64_t instances = buffer.getInstances();
  return {{nullptr, 0},
          (*buffer.getOffsets())[copy % instances] / 64,
          count,
          Value()};
}

ArenaMachine::Lines ArenaMachine::locate(Value buffer, int64_t microBatch) {
  int64_t offset = 0;
  Value root = getBufferRoot(buffer, &offset);
  Lines lines;
  if (auto alloc = root.getDefiningOp<AllocOp>()) {
    lines.space = {inArena ? nullptr : alloc.getOperation(), 0};
    lines.first = inArena ? *alloc.getOffset() / 64 : 0;
  } else {
    auto get = root.getDefiningOp<GetOp>();
    lines = locate(cast<BufferOp>(mlir::SymbolTable::lookupSymbolIn(
                       program, get.getBufferAttr())),
                   microBatch);
  }
  lines.first += offset / 64;
  lines.count = countLines(buffer.getType());
  lines.root = root;
  return lines;
}

uint64_t ArenaMachine::read(const Lines &lines) {
  uint64_t hash = 1;
  for (int64_t line = 0; line < lines.count; ++line)
    hash = mix(
        hash,
        memory[{lines.space.first, lines.space.second, lines.first + line}]);
  return hash;
}

void ArenaMachine::write(const Lines &lines, uint64_t value) {
  for (int64_t line = 0; line < lines.count; ++line)
    memory[{lines.space.first, lines.space.second, lines.first + line}] =
        mix(value, line);
}

void ArenaMachine::run(KernelOpInterface op, int64_t microBatch) {
  SmallVector<Lines> ins, outs;
  for (Value in : op.getReads())
    ins.push_back(locate(in, microBatch));
  for (Value out : op.getWrites())
    outs.push_back(locate(out, microBatch));
  auto overlap = [](const Lines &a, const Lines &b) {
    return a.space == b.space && a.first < b.first + b.count &&
           b.first < a.first + a.count;
  };
  for (auto [number, out] : llvm::enumerate(outs)) {
    for (auto [inNumber, in] : llvm::enumerate(ins))
      if (overlap(out, in) &&
          !(out.root == in.root && out.first == in.first &&
            out.count == in.count && op.canShare(number, inNumber)))
        isGood = false;
    for (const Lines &other : ArrayRef(outs).drop_front(number + 1))
      isGood &= !overlap(out, other);
  }
  // No two launches write the same, so that nothing is right by chance.
  uint64_t value = mix(1, ++launches);
  for (const Lines &in : ins)
    value = mix(value, read(in));
  if (auto accumulate = dyn_cast<AccumulateOp>(*op))
    if (!accumulate.getFirst() || microBatch > 0)
      value = mix(value, read(outs.front()));
  trace = mix(trace, value);
  for (auto [number, out] : llvm::enumerate(outs))
    write(out, mix(value, number));
}

void ArenaMachine::run(RoutineOp routine, int64_t microBatch, int64_t step) {
  Block &body = routine.getBody().front();
  for (auto get : body.getOps<GetOp>()) {
    auto buffer = cast<BufferOp>(
        mlir::SymbolTable::lookupSymbolIn(program, get.getBufferAttr()));
    if (buffer.getKind() == BufferKind::Input)
      write(locate(buffer, 0),
            mix(mix(step, microBatch), buffer.getSymName().back()));
  }
  for (auto op : body.getOps<KernelOpInterface>())
    run(op, microBatch);
}

void ArenaMachine::readFigures(RoutineOp routine) {
  for (auto get : routine.getBody().front().getOps<GetOp>()) {
    auto buffer = cast<BufferOp>(
        mlir::SymbolTable::lookupSymbolIn(program, get.getBufferAttr()));
    if (buffer.getKind() == BufferKind::Figure)
      trace = mix(trace, read(locate(buffer, 0)));
  }
}

uint64_t ArenaMachine::run() {
  SmallVector<BufferOp> lasting;
  for (auto buffer : program.getOps<BufferOp>())
    if (buffer.getKind() == BufferKind::Parameter ||
        buffer.getKind() == BufferKind::State)
      lasting.push_back(buffer);
  for (auto [number, buffer] : llvm::enumerate(lasting))
    write(locate(buffer, 0), 1000 + number);
  for (int64_t step = 0; step < 2; ++step) {
    std::set<std::string> training;
    for (auto run : program.getRuns().getAsRange<RunAttr>()) {
      training.insert(run.getRoutine().getValue().str());
      this->run(cast<RoutineOp>(mlir::SymbolTable::lookupSymbolIn(
                    program, run.getRoutine())),
                run.getMicroBatch(), step);
    }
    for (auto routine : program.getOps<RoutineOp>())
      if (training.count(routine.getSymName().str()))
        readFigures(routine);
    for (auto routine : program.getOps<RoutineOp>())
      if (!training.count(routine.getSymName().str())) {
        run(routine, 0, step);
        readFigures(routine);
      }
  }
  for (BufferOp buffer : lasting)
    trace = mix(trace, read(locate(buffer, 0)));
  return isGood ? trace : 0;
}
