//===- RecomputeExactSearch.cpp - Shortest path over live sets -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A* over states (what is live, what has run). What a plan may do next depends
// on nothing else, so the shortest path is the fastest plan, over all orders
// and any number of repetitions.
//
// - Values are dropped late: only when an op does not fit, and then only sets
//   of storages of which each is needed. Whatever can follow a state can follow
//   one that holds more, so nothing is lost. For the same reason a state is
//   passed over where one of those expanded last held more and cost no more.
// - What to drop is chosen storage by storage, from large to small; each choice
//   waits in the queue at the time that the state behind it promises. A set is
//   only completed if its parts were promising.
// - The estimate of what is left: each op that must still run, once. It never
//   falls by more than the op that runs, so a state is final when it is taken
//   off the queue.
//
// The number of states is exponential in the number of values at worst; the
// work ends that.
//
//===----------------------------------------------------------------------===//

#include "RecomputeExactImpl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace nlp::solver;

/// What a step is worth in units of work, about nanoseconds.
static constexpr int64_t estimateWork = 100, lookWork = 10;

/// States that a state is compared with, the last ones expanded.
static constexpr size_t dominanceLimit = 100;

namespace {
constexpr uint32_t none = UINT32_MAX;

/// A state that was reached, and how.
struct Node {
  ExactState state;
  int64_t ticks = 0; // from the start
  int64_t bytes = 0; // live
  uint32_t parent = none;
  int32_t op = -1; // that led here
  bool isDone = false;
};

/// What waits: a state, or (`op` given) an op that does not fit yet behind it.
struct Entry {
  int64_t total = 0;     // ticks of the whole plan, at least
  int64_t remaining = 0; // of it still to go
  uint64_t number = 0;   // later ones first
  uint32_t node = none;
  int16_t op = -1;
  int16_t nextRank = 0;   // of storages by bytes, from where to drop
  uint8_t dyingPairs = 0; // in-place pairs of the op that are used
  uint64_t dropped = 0;   // storages
  int64_t excess = 0;     // bytes that are too many

  /// Whether `a` comes after `b`.
  friend bool operator<(const Entry &a, const Entry &b) {
    if (a.total != b.total)
      return a.total > b.total;
    if (a.remaining != b.remaining)
      return a.remaining > b.remaining;
    return a.number < b.number;
  }
};

class Search {
public:
  Search(const ExactProgram &program, const ExactQuery &query,
         const ExactOptions &options, int64_t &work);
  ExactSearchResult run();

private:
  void expand(uint32_t node);
  void tryOp(uint32_t node, int32_t op, uint8_t dyingPairs);
  void dropMore(const Entry &entry);
  bool advance(const Entry &entry, ExactState &state, int64_t &remaining);
  void reach(const Entry &entry);
  bool isDominated(const Node &node);
  void push(Entry entry);
  ExactSearchResult finish(uint32_t goal) const;

  bool isLive(const ExactState &state, int32_t storage) const {
    return state.live & program.storages[storage].values;
  }

  const ExactProgram &program;
  const ExactQuery &query;
  const ExactOptions &options;
  int64_t &work;
  std::vector<Node> nodes;
  std::vector<Entry> queue;
  uint64_t entryCount = 0;
  DenseMap<std::pair<uint64_t, uint64_t>, uint32_t> index;
  /// States that were expanded, by what has run: live values and ticks.
  DenseMap<uint64_t, std::vector<std::pair<ValueMask, int64_t>>> expanded;
  std::vector<int32_t> byBytes; // storages, the largest first
  int64_t nextBudget = INT64_MAX;
};
} // namespace

Search::Search(const ExactProgram &program, const ExactQuery &query,
               const ExactOptions &options, int64_t &work)
    : program(program), query(query), options(options), work(work),
      byBytes(program.storages.size()) {
  std::iota(byBytes.begin(), byBytes.end(), 0);
  llvm::stable_sort(byBytes, [&](int32_t a, int32_t b) {
    return program.storages[a].bytes > program.storages[b].bytes;
  });
}

/// Puts `entry` into the queue unless it cannot lead to what is searched for.
void Search::push(Entry entry) {
  if (entry.total >= query.ticksLimit)
    return;
  entry.number = entryCount++;
  queue.push_back(entry);
  std::push_heap(queue.begin(), queue.end());
}

/// The state after the op of `entry`, what remains from there; false where that
/// is a dead end.
bool Search::advance(const Entry &entry, ExactState &state,
                     int64_t &remaining) {
  const ExactOp &op = program.ops[entry.op];
  state = nodes[entry.node].state;
  for (uint64_t rest = entry.dropped; rest; rest &= rest - 1)
    state.live &= ~program.storages[countr_zero(rest)].values;
  // Storages that are taken over die, even where an output of the op lies in
  // one of them.
  state.live |= op.outputs;
  for (size_t i = 0; i < op.inPlace.size(); ++i)
    if (entry.dyingPairs >> i & 1)
      state.live &= ~program.storages[op.inPlace[i].second].values;
  state.done |= op.doneBit;
  if (op.onceRank >= 0)
    state.done += uint64_t(1) << ExactProgram::positionShift;
  state.live &= program.getUseful(state);
  OpMask opsLeft;
  work -= estimateWork;
  remaining = program.getRemainingTicks(state, opsLeft);
  return remaining < ExactProgram::infiniteTicks;
}

/// Runs the op of `entry`, which fits.
void Search::reach(const Entry &entry) {
  const ExactOp &op = program.ops[entry.op];
  Node node;
  int64_t remaining;
  if (!advance(entry, node.state, remaining))
    return;
  node.ticks = nodes[entry.node].ticks + op.ticks;
  node.parent = entry.node;
  node.op = entry.op;
  auto [found, isNew] = index.try_emplace({node.state.live, node.state.done},
                                          static_cast<uint32_t>(nodes.size()));
  if (isNew) {
    node.bytes = program.constantBytes;
    for (const ExactStorage &storage : program.storages)
      if (node.state.live & storage.values)
        node.bytes += storage.bytes;
    nodes.push_back(node);
  } else {
    Node &old = nodes[found->second];
    if (query.ignoresTime || old.ticks <= node.ticks)
      return;
    old.ticks = node.ticks;
    old.parent = node.parent;
    old.op = node.op;
  }
  Entry next;
  next.total = query.ignoresTime ? remaining : node.ticks + remaining;
  next.remaining = remaining;
  next.node = found->second;
  push(next);
}

/// Looks at `op` behind `node`, with those in-place pairs in use.
void Search::tryOp(uint32_t node, int32_t opIndex, uint8_t dyingPairs) {
  const ExactOp &op = program.ops[opIndex];
  const ExactState &state = nodes[node].state;
  int64_t bytes = nodes[node].bytes + op.workspaceBytes;
  for (int32_t storage : op.outputStorages)
    if (!isLive(state, storage))
      bytes += program.storages[storage].bytes;
  Entry entry;
  SmallVector<int32_t, 2> taken, placed;
  for (size_t i = 0; i < op.inPlace.size(); ++i) {
    if (!(dyingPairs >> i & 1))
      continue;
    auto [to, from] = op.inPlace[i];
    if (is_contained(taken, from) || is_contained(placed, to))
      return;
    // An output only takes bytes over where it has none yet: what lies in its
    // storage is dropped first.
    if (isLive(state, to)) {
      if (is_contained(op.inputStorages, to))
        return;
      entry.dropped |= uint64_t(1) << to;
    }
    taken.push_back(from);
    placed.push_back(to);
    bytes -= std::min(program.storages[to].bytes, program.storages[from].bytes);
  }
  entry.node = node;
  entry.op = static_cast<int16_t>(opIndex);
  entry.dyingPairs = dyingPairs;
  entry.excess = bytes - query.budget;
  if (entry.excess <= 0) {
    reach(entry);
    return;
  }
  if (!op.inPlace.empty() && dyingPairs == 0)
    for (unsigned pairs = 1; pairs < 1u << op.inPlace.size(); ++pairs)
      tryOp(node, opIndex, static_cast<uint8_t>(pairs));
  dropMore(entry);
}

/// Drops one more storage for the op of `entry`, which does not fit.
void Search::dropMore(const Entry &entry) {
  nextBudget = std::min(nextBudget, query.budget + entry.excess);
  const ExactOp &op = program.ops[entry.op];
  // A copy: `nodes` grows.
  ExactState before = nodes[entry.node].state;
  SmallVector<int16_t, 32> ranks;
  int64_t droppable = 0;
  for (size_t rank = entry.nextRank; rank < byBytes.size(); ++rank) {
    int32_t storage = byBytes[rank];
    if (!isLive(before, storage) || is_contained(op.inputStorages, storage) ||
        is_contained(op.outputStorages, storage))
      continue;
    ranks.push_back(static_cast<int16_t>(rank));
    droppable += program.storages[storage].bytes;
  }
  work -= lookWork * static_cast<int64_t>(byBytes.size());
  for (int16_t rank : ranks) {
    int32_t storage = byBytes[rank];
    if (droppable < entry.excess) {
      nextBudget =
          std::min(nextBudget, query.budget + entry.excess - droppable);
      return;
    }
    droppable -= program.storages[storage].bytes;
    Entry next = entry;
    next.dropped |= uint64_t(1) << storage;
    next.nextRank = static_cast<int16_t>(rank + 1);
    next.excess -= program.storages[storage].bytes;
    if (next.excess <= 0) {
      reach(next);
      continue;
    }
    ExactState state;
    if (!advance(next, state, next.remaining))
      continue;
    next.total = next.remaining;
    if (!query.ignoresTime)
      next.total += nodes[next.node].ticks + op.ticks;
    push(next);
  }
  if (droppable < entry.excess)
    nextBudget = std::min(nextBudget, query.budget + entry.excess - droppable);
}

/// Whether a state that was expanded held more at no greater cost.
bool Search::isDominated(const Node &node) {
  auto &others = expanded[node.state.done];
  size_t count = std::min(others.size(), dominanceLimit);
  for (size_t i = 0; i < count; ++i) {
    auto [live, ticks] = others[others.size() - 1 - i];
    if (!(node.state.live & ~live) &&
        (query.ignoresTime || ticks <= node.ticks)) {
      work -= lookWork + static_cast<int64_t>(i);
      return true;
    }
  }
  work -= lookWork + static_cast<int64_t>(count);
  others.emplace_back(node.state.live, node.ticks);
  return false;
}

void Search::expand(uint32_t node) {
  work -= lookWork * static_cast<int64_t>(program.storages.size());
  if (isDominated(nodes[node]))
    return;
  ExactState state = nodes[node].state;
  ValueMask useful = program.getUseful(state);
  int position = ExactProgram::getPosition(state);
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const ExactOp &op = program.ops[i];
    if (op.inputs & ~state.live)
      continue;
    if (op.onceRank >= 0
            ? op.onceRank != position
            : !(op.outputs & ~state.live) && !(op.doneBit & ~state.done))
      continue;
    work -= lookWork;
    tryOp(node, static_cast<int32_t>(i), 0);
  }
}

ExactSearchResult Search::finish(uint32_t goal) const {
  ExactSearchResult result;
  result.outcome = ExactOutcome::Found;
  result.lowerBoundTicks = nodes[goal].ticks;
  for (uint32_t node = goal; nodes[node].parent != none;
       node = nodes[node].parent)
    result.sequence.push_back(nodes[node].op);
  std::reverse(result.sequence.begin(), result.sequence.end());
  return result;
}

ExactSearchResult Search::run() {
  ExactSearchResult result;
  result.nextBudget = INT64_MAX;
  Node start;
  start.bytes = program.constantBytes;
  OpMask opsLeft;
  Entry first;
  first.node = 0;
  first.remaining = first.total =
      program.getRemainingTicks(start.state, opsLeft);
  if (start.bytes <= query.budget) {
    index[{0, 0}] = 0;
    nodes.push_back(start);
    push(first);
  } else {
    nextBudget = start.bytes;
  }
  result.lowerBoundTicks = std::min(first.total, query.ticksLimit);
  for (int64_t steps = 0; !queue.empty(); ++steps) {
    bool isStopped =
        steps % 1024 == 0 && options.shouldStop && options.shouldStop();
    if (work <= 0 || isStopped ||
        static_cast<int64_t>(nodes.size() + queue.size()) > options.maxStates)
      return result;
    std::pop_heap(queue.begin(), queue.end());
    Entry entry = queue.back();
    queue.pop_back();
    if (!query.ignoresTime)
      result.lowerBoundTicks = std::max(result.lowerBoundTicks, entry.total);
    if (entry.op >= 0) {
      dropMore(entry);
      continue;
    }
    Node &node = nodes[entry.node];
    if (node.isDone)
      continue;
    node.isDone = true;
    if (entry.remaining == 0 &&
        (program.getRemainingTicks(node.state, opsLeft), opsLeft == 0))
      return finish(entry.node);
    expand(entry.node);
  }
  result.outcome = ExactOutcome::Impossible;
  result.nextBudget = nextBudget;
  result.lowerBoundTicks = query.ticksLimit;
  return result;
}

ExactSearchResult nlp::solver::searchRecompute(const ExactProgram &program,
                                               const ExactQuery &query,
                                               const ExactOptions &options,
                                               int64_t &work) {
  return Search(program, query, options, work).run();
}
