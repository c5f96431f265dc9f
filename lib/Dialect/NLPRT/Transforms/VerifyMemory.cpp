//===- VerifyMemory.cpp - Simulation of who owns which bytes ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps an ordered map from the start of each byte range to the buffer last
// written there and replays the program: training runs twice, since the second
// step must find what the first left, with routines of their own (evaluation)
// after each step. A slot is another owner for each micro-batch, so that one
// instance cannot serve two at a time. A launch must leave alone what it reads,
// but for what its kernel does in place. Cost: the unrolled launches times the
// logarithm of the ranges.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
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

/// The arena's bytes by owner. An owner is a buffer and, for slots, the
/// micro-batch that it holds a value of.
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

  bool overlaps(const Place &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// Replays one program.
class ProgramSimulation {
public:
  explicit ProgramSimulation(ProgramOp program)
      : program(program), symbols(program), arena(*program.getArenaBytes()) {}

  LogicalResult run();

private:
  BufferOp getBuffer(GetOp get) const {
    return symbols.lookup<BufferOp>(get.getBufferAttr().getAttr());
  }
  Place locate(Value buffer, int64_t microBatch) const;
  void writeWhole(BufferOp buffer);
  LogicalResult checkWhole(BufferOp buffer) const;
  LogicalResult checkInPlace(KernelOpInterface op, int64_t microBatch) const;
  LogicalResult checkFigures(RoutineOp routine) const;
  LogicalResult simulate(KernelOpInterface op, int64_t microBatch);
  LogicalResult simulate(RoutineOp routine, int64_t microBatch);
  LogicalResult simulateStep();

  ProgramOp program;
  mlir::SymbolTable symbols;
  ArenaSimulation arena;
};
} // namespace

static int64_t getBytes(Type type) {
  return getBufferBytes(cast<MemRefType>(type));
}

static StringRef getName(Operation *op) {
  if (auto buffer = dyn_cast_or_null<BufferOp>(op))
    return buffer.getSymName();
  return op ? "a buffer of the routine" : "nothing";
}

/// Checks that a buffer of `type` has `offsets`, all within the arena.
static LogicalResult checkPlaces(Operation *op, Type type,
                                 std::optional<ArrayRef<int64_t>> offsets,
                                 int64_t arenaBytes) {
  if (!offsets)
    return op->emitOpError("has no place in the arena");
  for (int64_t offset : *offsets)
    if (offset > arenaBytes - getBytes(type))
      return op->emitOpError("expected a place within the arena of ")
             << arenaBytes << " bytes, but got " << getBytes(type)
             << " bytes at " << offset;
  return success();
}

static LogicalResult checkPlaces(ProgramOp program) {
  int64_t arenaBytes = *program.getArenaBytes();
  for (auto buffer : program.getOps<BufferOp>())
    if (failed(checkPlaces(buffer, buffer.getType(), buffer.getOffsets(),
                           arenaBytes)))
      return failure();
  for (auto routine : program.getOps<RoutineOp>())
    for (auto alloc : routine.getBody().front().getOps<AllocOp>()) {
      std::optional<int64_t> offset = alloc.getOffset();
      std::optional<ArrayRef<int64_t>> offsets;
      if (offset)
        offsets = ArrayRef<int64_t>(*offset);
      if (failed(checkPlaces(alloc, alloc.getResult().getType(), offsets,
                             arenaBytes)))
        return failure();
    }
  return success();
}

/// Where `buffer` lies in a run for `microBatch`.
Place ProgramSimulation::locate(Value buffer, int64_t microBatch) const {
  Place place;
  place.bytes = getBytes(buffer.getType());
  int64_t offset = 0;
  Operation *root = getBufferRoot(buffer, &offset).getDefiningOp();
  if (auto alloc = dyn_cast<AllocOp>(root)) {
    place.offset = *alloc.getOffset() + offset;
    place.owner = {root, 0};
    return place;
  }
  BufferOp symbol = getBuffer(cast<GetOp>(root));
  int64_t instances = symbol.getInstances();
  place.offset = (*symbol.getOffsets())[microBatch % instances] + offset;
  place.owner = {symbol, symbol.getKind() == BufferKind::Slot ? microBatch : 0};
  return place;
}

void ProgramSimulation::writeWhole(BufferOp buffer) {
  arena.write(buffer.getOffsets()->front(), getBytes(buffer.getType()),
              {buffer, 0});
}

LogicalResult ProgramSimulation::checkWhole(BufferOp buffer) const {
  if (auto intruder =
          arena.findIntruder(buffer.getOffsets()->front(),
                             getBytes(buffer.getType()), {buffer, 0}))
    return buffer.emitOpError("is overwritten by ") << getName(intruder->first);
  return success();
}

/// Fails where a write lies over a read of the same buffer other than exactly
/// and as the kernel allows.
LogicalResult ProgramSimulation::checkInPlace(KernelOpInterface op,
                                              int64_t microBatch) const {
  for (auto [writeNumber, write] : llvm::enumerate(op.getWrites()))
    for (auto [readNumber, read] : llvm::enumerate(op.getReads())) {
      Place to = locate(write, microBatch), from = locate(read, microBatch);
      if (to.owner != from.owner || !to.overlaps(from))
        continue;
      if (to.offset != from.offset || to.bytes != from.bytes ||
          !op.canShare(writeNumber, readNumber))
        return op.emitOpError("has write ")
               << writeNumber << " over read " << readNumber
               << ", which its kernel does not do in place";
    }
  return success();
}

/// True where `op` adds to what its first write holds.
static bool isAddition(Operation *op, int64_t microBatch) {
  if (auto accumulate = dyn_cast<AccumulateOp>(op))
    return !accumulate.getFirst() || microBatch > 0;
  auto launch = dyn_cast<LaunchOp>(op);
  if (!launch)
    return false;
  auto isSet = [&](StringRef name) {
    auto param = launch.getParams().getAs<IntegerAttr>(name);
    return param && param.getInt() != 0;
  };
  return isSet("accumulate") && (!isSet("first") || microBatch > 0);
}

/// Checks the reads of `op`, notes its writes, and checks that those lie over
/// nothing else that the op uses.
LogicalResult ProgramSimulation::simulate(KernelOpInterface op,
                                          int64_t microBatch) {
  SmallVector<Value> reads(op.getReads());
  if (isAddition(op, microBatch))
    reads.push_back(op.getWrites().front());
  for (Value read : reads) {
    Place place = locate(read, microBatch);
    if (auto intruder =
            arena.findIntruder(place.offset, place.bytes, place.owner))
      return op.emitOpError("reads ")
             << getName(place.owner.first) << " at " << place.offset
             << ", which " << getName(intruder->first) << " holds";
  }
  for (Value write : op.getWrites()) {
    Place place = locate(write, microBatch);
    arena.write(place.offset, place.bytes, place.owner);
  }
  for (Value operand : op->getOperands()) {
    Place place = locate(operand, microBatch);
    if (auto intruder =
            arena.findIntruder(place.offset, place.bytes, place.owner))
      return op.emitOpError("uses ")
             << getName(place.owner.first) << " at " << place.offset
             << ", but writes " << getName(intruder->first) << " over it";
  }
  return checkInPlace(op, microBatch);
}

/// The training loop writes inputs before each run.
LogicalResult ProgramSimulation::simulate(RoutineOp routine,
                                          int64_t microBatch) {
  Block &body = routine.getBody().front();
  for (auto get : body.getOps<GetOp>())
    if (BufferOp buffer = getBuffer(get); buffer.getKind() == BufferKind::Input)
      writeWhole(buffer);
  for (auto op : body.getOps<KernelOpInterface>())
    if (failed(simulate(op, microBatch)))
      return failure();
  return success();
}

/// Checks the figures of `routine`, which the training loop reads when all runs
/// are done.
LogicalResult ProgramSimulation::checkFigures(RoutineOp routine) const {
  for (auto get : routine.getBody().front().getOps<GetOp>())
    if (BufferOp buffer = getBuffer(get);
        buffer.getKind() == BufferKind::Figure && failed(checkWhole(buffer)))
      return failure();
  return success();
}

/// One training step, then each routine that is not part of it.
LogicalResult ProgramSimulation::simulateStep() {
  llvm::SetVector<RoutineOp> training;
  for (auto run : program.getRuns().getAsRange<RunAttr>()) {
    auto routine = symbols.lookup<RoutineOp>(run.getRoutine().getAttr());
    training.insert(routine);
    if (failed(simulate(routine, run.getMicroBatch())))
      return failure();
  }
  for (RoutineOp routine : training)
    if (failed(checkFigures(routine)))
      return failure();
  for (auto routine : program.getOps<RoutineOp>())
    if (!training.contains(routine) &&
        (failed(simulate(routine, 0)) || failed(checkFigures(routine))))
      return failure();
  return success();
}

LogicalResult ProgramSimulation::run() {
  // What the training loop writes once and must find again.
  auto lasting =
      llvm::filter_to_vector(program.getOps<BufferOp>(), [](BufferOp buffer) {
        return llvm::is_contained(
            {BufferKind::Parameter, BufferKind::State, BufferKind::Scalar},
            buffer.getKind());
      });
  for (BufferOp buffer : lasting)
    writeWhole(buffer);
  for (int step = 0; step < 2; ++step)
    if (failed(simulateStep()))
      return failure();
  for (BufferOp buffer : lasting)
    if (failed(checkWhole(buffer)))
      return failure();
  return success();
}

static LogicalResult verifyProgram(ProgramOp program) {
  if (!program.getArenaBytes())
    return program.emitOpError("has no arena_bytes");
  if (failed(checkPlaces(program)))
    return failure();
  return ProgramSimulation(program).run();
}

void VerifyMemory::runOnOperation() {
  for (auto program : getOperation().getOps<ProgramOp>())
    if (failed(verifyProgram(program)))
      return signalPassFailure();
}
