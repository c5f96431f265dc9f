//===- Lifetimes.cpp - When each buffer of a program holds something ------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the unrolled program. A buffer of a routine is live, in each
// run, from its first to its last use. Program buffers: parameters, state,
// scalars and figures always; an input from the start of each run of a routine
// that names it; an accumulator from its first write to its last use; a slot
// instance likewise, micro-batch by micro-batch.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace nlp::rt;

namespace {
/// One run of a routine and where its positions begin.
struct RunSpan {
  RoutineOp routine;
  int64_t microBatch;
  int64_t begin;
};

/// First and last use of a buffer within one routine, by op number.
struct Use {
  int64_t first, last;
};
using RoutineUses = llvm::MapVector<Operation *, Use>;
} // namespace

/// The alloc or the program's buffer whose bytes `buffer` shows.
static Operation *getOwner(Value buffer, const mlir::SymbolTable &symbols) {
  Operation *def = getBufferRoot(buffer).getDefiningOp();
  auto get = dyn_cast<GetOp>(def);
  return get ? symbols.lookup(get.getBufferAttr().getAttr()) : def;
}

static RoutineUses getUses(RoutineOp routine,
                           const mlir::SymbolTable &symbols) {
  RoutineUses uses;
  for (auto [number, op] : llvm::enumerate(routine.getBody().front())) {
    // The training loop writes an input that a routine names, used or not.
    if (auto get = dyn_cast<GetOp>(op)) {
      auto buffer = cast<BufferOp>(getOwner(get.getResult(), symbols));
      if (buffer.getKind() == BufferKind::Input) {
        int64_t at = number;
        uses.insert({buffer, Use{at, at}});
      }
    }
    if (!isa<KernelOpInterface>(op))
      continue;
    for (Value operand : op.getOperands()) {
      int64_t at = number;
      auto [it, isNew] = uses.insert({getOwner(operand, symbols), Use{at, at}});
      it->second.last = at;
    }
  }
  return uses;
}

/// Appends the ops of all runs to `ops`.
static std::vector<RunSpan> unroll(ProgramOp program,
                                   const mlir::SymbolTable &symbols,
                                   std::vector<Operation *> &ops) {
  std::vector<RunSpan> spans;
  llvm::StringSet<> named;
  auto add = [&](RoutineOp routine, int64_t microBatch) {
    spans.push_back({routine, microBatch, static_cast<int64_t>(ops.size())});
    for (Operation &op : routine.getBody().front())
      ops.push_back(&op);
  };
  for (Attribute attr : program.getRuns()) {
    auto run = cast<RunAttr>(attr);
    named.insert(run.getRoutine().getValue());
    add(symbols.lookup<RoutineOp>(run.getRoutine().getAttr()),
        run.getMicroBatch());
  }
  for (auto routine : program.getOps<RoutineOp>())
    if (!named.contains(routine.getSymName()))
      add(routine, 0);
  return spans;
}

/// Adds [begin, end), joined with the last interval where they touch.
static void addInterval(BufferLifetime &lifetime, int64_t begin, int64_t end) {
  if (!lifetime.live.empty() && lifetime.live.back().second >= begin)
    lifetime.live.back().second = std::max(lifetime.live.back().second, end);
  else
    lifetime.live.push_back({begin, end});
}

static bool isAlwaysLive(BufferKind kind) {
  return kind == BufferKind::Parameter || kind == BufferKind::State ||
         kind == BufferKind::Scalar || kind == BufferKind::Figure;
}

/// Lifetimes of one program buffer's instances.
static void
addProgramBuffer(BufferOp buffer, const std::vector<RunSpan> &spans,
                 const llvm::DenseMap<Operation *, RoutineUses> &uses,
                 int64_t end, std::vector<BufferLifetime> &lifetimes) {
  BufferLifetime lifetime;
  lifetime.op = buffer;
  lifetime.bytes = getBufferBytes(cast<MemRefType>(buffer.getType()));
  lifetime.category = buffer.getCategory();
  int64_t instances = buffer.getInstances();
  for (int64_t instance = 0; instance < instances; ++instance) {
    lifetime.instance = instance;
    lifetime.live.clear();
    // Where an accumulator, or a slot for one micro-batch, begins and ends.
    llvm::MapVector<int64_t, Use> whole;
    for (const RunSpan &span : spans) {
      const RoutineUses &routine = uses.find(span.routine)->second;
      auto it = routine.find(buffer);
      if (it == routine.end() || (buffer.getKind() == BufferKind::Slot &&
                                  span.microBatch % instances != instance))
        continue;
      int64_t first = span.begin + it->second.first,
              last = span.begin + it->second.last;
      if (buffer.getKind() == BufferKind::Input) {
        addInterval(lifetime, span.begin, last + 1);
        continue;
      }
      int64_t key = buffer.getKind() == BufferKind::Slot ? span.microBatch : 0;
      auto [entry, isNew] = whole.insert({key, Use{first, last}});
      entry->second.last = last;
    }
    for (auto &[key, use] : whole)
      if (!isAlwaysLive(buffer.getKind()))
        addInterval(lifetime, use.first, use.last + 1);
    if (isAlwaysLive(buffer.getKind()))
      addInterval(lifetime, 0, std::max<int64_t>(end, 1));
    lifetimes.push_back(lifetime);
  }
}

ProgramLifetimes nlp::rt::getLifetimes(ProgramOp program) {
  ProgramLifetimes result;
  mlir::SymbolTable symbols(program);
  std::vector<RunSpan> spans = unroll(program, symbols, result.ops);
  llvm::DenseMap<Operation *, RoutineUses> uses;
  for (auto routine : program.getOps<RoutineOp>())
    uses[routine] = getUses(routine, symbols);
  int64_t end = result.ops.size();
  for (auto buffer : program.getOps<BufferOp>())
    addProgramBuffer(buffer, spans, uses, end, result.buffers);

  llvm::MapVector<Operation *, BufferLifetime> allocs;
  for (auto routine : program.getOps<RoutineOp>())
    for (auto alloc : routine.getBody().front().getOps<AllocOp>()) {
      BufferLifetime &lifetime = allocs[alloc];
      lifetime.op = alloc;
      lifetime.bytes =
          getBufferBytes(cast<MemRefType>(alloc.getResult().getType()));
      lifetime.category = alloc.getCategory();
    }
  for (const RunSpan &span : spans)
    for (auto &[owner, use] : uses[span.routine])
      if (isa<AllocOp>(owner))
        addInterval(allocs[owner], span.begin + use.first,
                    span.begin + use.last + 1);
  for (auto &[op, lifetime] : allocs)
    result.buffers.push_back(std::move(lifetime));
  return result;
}
