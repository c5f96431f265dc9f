//===- VerifyMemory.cpp - Simulation of who owns which bytes ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps an ordered map from the start of each byte range to the buffer last
// written there and replays the program: training runs twice, since the second
// step must find what the first left, with routines of their own (evaluation)
// after each step. Cost: the unrolled launches times the logarithm of the
// ranges.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Passes.h"
#include <map>

namespace nlp::rt {
#define GEN_PASS_DEF_VERIFYMEMORY
#include "nlp/Dialect/NLPRT/Transforms/Passes.h.inc"
} // namespace nlp::rt

using namespace mlir;
using namespace nlp::rt;

namespace {
struct VerifyMemory : nlp::rt::impl::VerifyMemoryBase<VerifyMemory> {
  using VerifyMemoryBase::VerifyMemoryBase;

  void runOnOperation() override;
};

/// The arena's bytes by owner. An owner is a buffer and an instance of it.
class ArenaSimulation {
public:
  using Owner = std::pair<Operation *, int64_t>;

  explicit ArenaSimulation(int64_t bytes) { ranges[0] = {bytes, Owner()}; }

  void write(int64_t begin, int64_t bytes, Owner owner) {
    if (bytes == 0)
      return;
    splitAt(begin);
    splitAt(begin + bytes);
    ranges.erase(ranges.lower_bound(begin), ranges.lower_bound(begin + bytes));
    ranges[begin] = {begin + bytes, owner};
  }

  /// The first owner of a byte of the range that is not `owner`, or nothing.
  std::optional<Owner> findIntruder(int64_t begin, int64_t bytes,
                                    Owner owner) const {
    auto it = std::prev(ranges.upper_bound(begin));
    for (; it != ranges.end() && it->first < begin + bytes; ++it)
      if (it->second.owner != owner)
        return it->second.owner;
    return std::nullopt;
  }

private:
  struct Range {
    int64_t end;
    Owner owner;
  };

  /// Makes a range begin at `at`.
  void splitAt(int64_t at) {
    auto it = std::prev(ranges.upper_bound(at));
    if (it->first == at || it->second.end <= at)
      return;
    Range tail = it->second;
    it->second.end = at;
    ranges[at] = tail;
  }

  std::map<int64_t, Range> ranges;
};

/// A place in the arena with its owner.
struct Place {
  int64_t offset = 0, bytes = 0;
  ArenaSimulation::Owner owner;
};
} // namespace

/// Where `buffer` lies in a run for `microBatch`; fails where it has no place
/// or one outside of the arena.
static FailureOr<Place> locate(Value buffer, int64_t microBatch,
                               int64_t arenaBytes, Operation *user) {
  Place place;
  place.bytes = getBufferBytes(cast<MemRefType>(buffer.getType()));
  int64_t offset = 0;
  Operation *root = getBufferRoot(buffer, &offset).getDefiningOp();
  if (auto alloc = dyn_cast<AllocOp>(root)) {
    if (!alloc.getOffset())
      return alloc.emitOpError("has no offset"), failure();
    place.offset = *alloc.getOffset() + offset;
    place.owner = {root, 0};
  } else {
    auto symbol = cast<BufferOp>(mlir::SymbolTable::lookupSymbolIn(
        user->getParentOfType<ProgramOp>(), cast<GetOp>(root).getBufferAttr()));
    if (!symbol.getOffsets())
      return symbol.emitOpError("has no offsets"), failure();
    int64_t instance = microBatch % symbol.getInstances();
    place.offset = (*symbol.getOffsets())[instance] + offset;
    place.owner = {symbol, instance};
  }
  if (place.offset < 0 || place.offset > arenaBytes - place.bytes)
    return user->emitOpError("expected a buffer within the arena of ")
               << arenaBytes << " bytes, but got [" << place.offset << ", "
               << place.offset + place.bytes << ")",
           failure();
  return place;
}

static StringRef getName(Operation *op) {
  if (auto buffer = dyn_cast_or_null<BufferOp>(op))
    return buffer.getSymName();
  return op ? "a buffer of the routine" : "nothing";
}

/// Checks the reads of `op`, then notes its writes.
static LogicalResult simulate(KernelOpInterface op, int64_t microBatch,
                              int64_t arenaBytes, ArenaSimulation &arena) {
  SmallVector<Value> reads(op.getReads());
  if (auto accumulate = dyn_cast<AccumulateOp>(*op))
    if (!accumulate.getFirst() || microBatch > 0)
      llvm::append_range(reads, op.getWrites());
  for (Value read : reads) {
    FailureOr<Place> place = locate(read, microBatch, arenaBytes, op);
    if (failed(place))
      return failure();
    if (auto intruder =
            arena.findIntruder(place->offset, place->bytes, place->owner))
      return op.emitOpError("reads ")
             << getName(place->owner.first) << " at " << place->offset
             << ", which " << getName(intruder->first) << " holds";
  }
  for (Value write : op.getWrites()) {
    FailureOr<Place> place = locate(write, microBatch, arenaBytes, op);
    if (failed(place))
      return failure();
    arena.write(place->offset, place->bytes, place->owner);
  }
  return success();
}

static void writeWhole(BufferOp buffer, ArenaSimulation &arena) {
  if (buffer.getOffsets())
    arena.write(buffer.getOffsets()->front(),
                getBufferBytes(cast<MemRefType>(buffer.getType())),
                {buffer, 0});
}

/// Notes what the training loop writes once: parameters, state, scalars.
static void writeStart(ProgramOp program, ArenaSimulation &arena) {
  for (auto buffer : program.getOps<BufferOp>())
    if (llvm::is_contained(
            {BufferKind::Parameter, BufferKind::State, BufferKind::Scalar},
            buffer.getKind()))
      writeWhole(buffer, arena);
}

/// Notes what the training loop writes before a run: the inputs it reads.
static void writeInputs(RoutineOp routine, ArenaSimulation &arena) {
  auto program = routine->getParentOfType<ProgramOp>();
  for (auto get : routine.getBody().front().getOps<GetOp>()) {
    auto buffer = cast<BufferOp>(
        mlir::SymbolTable::lookupSymbolIn(program, get.getBufferAttr()));
    if (buffer.getKind() == BufferKind::Input)
      writeWhole(buffer, arena);
  }
}

static LogicalResult simulateRun(RoutineOp routine, int64_t microBatch,
                                 int64_t arenaBytes, ArenaSimulation &arena) {
  writeInputs(routine, arena);
  for (auto op : routine.getBody().front().getOps<KernelOpInterface>())
    if (failed(simulate(op, microBatch, arenaBytes, arena)))
      return failure();
  return success();
}

static LogicalResult verifyProgram(ProgramOp program) {
  if (!program.getArenaBytes())
    return program.emitOpError("has no arena_bytes");
  int64_t arenaBytes = *program.getArenaBytes();
  ArenaSimulation arena(arenaBytes);
  writeStart(program, arena);
  llvm::SmallDenseSet<StringAttr> inRuns;
  for (int step = 0; step < 2; ++step) {
    for (Attribute attr : program.getRuns()) {
      auto run = cast<RunAttr>(attr);
      inRuns.insert(run.getRoutine().getAttr());
      auto routine = cast<RoutineOp>(
          mlir::SymbolTable::lookupSymbolIn(program, run.getRoutine()));
      if (failed(simulateRun(routine, run.getMicroBatch(), arenaBytes, arena)))
        return failure();
    }
    for (auto routine : program.getOps<RoutineOp>())
      if (!inRuns.contains(routine.getSymNameAttr()) &&
          failed(simulateRun(routine, 0, arenaBytes, arena)))
        return failure();
  }
  // What the training loop reads or saves at the end of a step.
  for (auto buffer : program.getOps<BufferOp>())
    if (llvm::is_contained(
            {BufferKind::Parameter, BufferKind::State, BufferKind::Scalar},
            buffer.getKind())) {
      if (auto intruder = arena.findIntruder(
              buffer.getOffsets()->front(),
              getBufferBytes(cast<MemRefType>(buffer.getType())), {buffer, 0}))
        return buffer.emitOpError("is overwritten by ")
               << getName(intruder->first);
    }
  return success();
}

void VerifyMemory::runOnOperation() {
  for (auto program : getOperation().getOps<ProgramOp>())
    if (failed(verifyProgram(program)))
      return signalPassFailure();
}
