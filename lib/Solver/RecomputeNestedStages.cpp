//===- RecomputeNestedStages.cpp - Stages of the second bound -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a stage costs whatever a plan does: the least time to make what leads
// out of it, and the ways to have what its window reads. All choices among the
// large storages are tried; small ones are free. Whatever is not certain is
// free, too: only what every plan pays counts.
//
//===----------------------------------------------------------------------===//

#include "RecomputeBound.h"
#include "RecomputeNested.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace nlp::solver;

/// Large storages whose every subset is tried; others are free.
static constexpr size_t kMaxLarge = 8;
/// A chain starts anew where what leads on is so many times wider than before.
static constexpr int64_t kWider = 2;

namespace {
/// The storages of a stage and the ops that make them, as positions.
class StageNetwork {
public:
  StageNetwork(const Chain &chain, int32_t stage,
               const std::vector<char> &hasRun);

  /// Makes all free that takes fewer bytes or does not come from the boundary.
  void setFree(int64_t largeBytes);
  /// Least time to make `storage` from the boundary if nothing is held that is
  /// not free; negative where that is not needed.
  double getPassSeconds(int32_t storage) const;
  /// Pareto set of the ways to have what is read. `early` and `late` are
  /// storages that are read up to and behind the moment, `free` those that are
  /// live anyway at the moment before and at the moment.
  std::vector<WindowOption> getOptions(ArrayRef<int32_t> early,
                                       ArrayRef<int32_t> late,
                                       ArrayRef<int32_t> freeBefore,
                                       ArrayRef<int32_t> freeAt,
                                       bool readsBoundary, bool isLast) const;
  int32_t find(int32_t storage) const {
    auto it = positions.find(storage);
    return it == positions.end() ? -1 : it->second;
  }

private:
  struct Node {
    int64_t bytes;
    int32_t maker; ///< Position of an op.
  };
  struct Maker {
    double seconds;
    SmallVector<int32_t, 4> inputs; ///< Nodes.
    bool readsBoundary;
  };
  struct Closure {
    double seconds = 0;
    bool readsBoundary = false;
  };
  Closure close(ArrayRef<int32_t> wanted, const std::vector<char> &isHeld,
                std::vector<char> &seen) const;
  std::vector<int32_t> getLarge(ArrayRef<int32_t> wanted) const;

  std::vector<Node> nodes;
  std::vector<Maker> makers;
  std::map<int32_t, int32_t> positions; ///< Of storages that can be made again.
  std::vector<char> isFree;             ///< By node.
};
} // namespace

StageNetwork::StageNetwork(const Chain &chain, int32_t index,
                           const std::vector<char> &hasRun) {
  const RecomputeProgram &program = *chain.program;
  const ChainStage &stage = chain.stages[index];
  std::map<int32_t, int32_t> makerOf;
  for (int32_t op = stage.opBegin; op < stage.opEnd; ++op) {
    if (program.isFixed(op))
      continue;
    for (int32_t value : program.getOp(op).outputs) {
      int32_t storage = program.storages[value];
      if (program.producers[storage] != op || !program.canRebuild[storage] ||
          program.getBytes(storage) == 0 || chain.isPinned[storage] ||
          positions.count(storage))
        continue;
      auto [it, isNew] = makerOf.try_emplace(op, makers.size());
      if (isNew)
        // What may run for the first time later costs nothing beyond that.
        makers.push_back(
            {hasRun[op] ? program.getOp(op).seconds : 0, {}, false});
      positions[storage] = nodes.size();
      nodes.push_back({program.getBytes(storage), it->second});
    }
  }
  for (auto [op, maker] : makerOf)
    for (int32_t value : program.getOp(op).inputs) {
      int32_t storage = program.storages[value];
      if (storage == stage.boundary)
        makers[maker].readsBoundary = true;
      else if (int32_t node = find(storage); node >= 0)
        makers[maker].inputs.push_back(node);
    }
}

/// The ops that run to make what is `wanted` and not held.
StageNetwork::Closure StageNetwork::close(ArrayRef<int32_t> wanted,
                                          const std::vector<char> &isHeld,
                                          std::vector<char> &seen) const {
  Closure closure;
  seen.assign(makers.size(), 0);
  SmallVector<int32_t, 32> pending;
  auto want = [&](int32_t node) {
    if (isHeld[node] || seen[nodes[node].maker])
      return;
    seen[nodes[node].maker] = 1;
    pending.push_back(nodes[node].maker);
  };
  for_each(wanted, want);
  while (!pending.empty()) {
    const Maker &maker = makers[pending.pop_back_val()];
    closure.seconds += maker.seconds;
    closure.readsBoundary |= maker.readsBoundary;
    for_each(maker.inputs, want);
  }
  return closure;
}

void StageNetwork::setFree(int64_t largeBytes) {
  // What does not come from the boundary may have been held since ever.
  std::vector<char> comesFrom(makers.size(), 0);
  isFree.assign(nodes.size(), 0);
  for (size_t n = 0; n < nodes.size(); ++n)
    isFree[n] = nodes[n].bytes < largeBytes;
  // Makers stand in the order of the program, inputs first.
  for (size_t m = 0; m < makers.size(); ++m) {
    comesFrom[m] = makers[m].readsBoundary;
    for (int32_t input : makers[m].inputs)
      comesFrom[m] |= !isFree[input] && comesFrom[nodes[input].maker];
  }
  for (size_t n = 0; n < nodes.size(); ++n)
    isFree[n] |= !comesFrom[nodes[n].maker];
}

double StageNetwork::getPassSeconds(int32_t storage) const {
  int32_t target = find(storage);
  if (target < 0 || isFree[target])
    return -1;
  std::vector<char> seen;
  return close(target, isFree, seen).seconds;
}

/// The storages that a choice is about, largest first.
std::vector<int32_t> StageNetwork::getLarge(ArrayRef<int32_t> wanted) const {
  std::vector<char> seen;
  close(wanted, isFree, seen);
  std::vector<int32_t> large;
  for (size_t n = 0; n < nodes.size(); ++n)
    if (!isFree[n] && seen[nodes[n].maker])
      large.push_back(n);
  llvm::stable_sort(large, [&](int32_t a, int32_t b) {
    return nodes[a].bytes > nodes[b].bytes;
  });
  if (large.size() > kMaxLarge)
    large.resize(kMaxLarge);
  return large;
}

/// Whether `a` is no worse than `b`.
static bool dominates(const WindowOption &a, const WindowOption &b) {
  return a.bytesBefore <= b.bytesBefore && a.bytesAt <= b.bytesAt &&
         a.seconds <= b.seconds && a.readsBoundary <= b.readsBoundary;
}

std::vector<WindowOption>
StageNetwork::getOptions(ArrayRef<int32_t> early, ArrayRef<int32_t> late,
                         ArrayRef<int32_t> freeBefore, ArrayRef<int32_t> freeAt,
                         bool readsBoundary, bool isLast) const {
  std::vector<int32_t> wanted(early.begin(), early.end());
  wanted.insert(wanted.end(), late.begin(), late.end());
  std::vector<int32_t> large = getLarge(wanted);
  std::vector<char> isSmall(nodes.size(), 1), seen;
  for (int32_t node : large)
    isSmall[node] = 0;
  std::vector<WindowOption> options;
  auto add = [&](const WindowOption &option) {
    if (any_of(options, [&](const WindowOption &other) {
          return dominates(other, option);
        }))
      return;
    llvm::erase_if(options, [&](const WindowOption &other) {
      return dominates(option, other);
    });
    options.push_back(option);
  };
  auto hold = [&](size_t mask, ArrayRef<int32_t> live,
                  std::vector<char> &isHeld) {
    int64_t bytes = 0;
    isHeld = isSmall;
    for (int32_t node : live)
      isHeld[node] = 1;
    for (size_t i = 0; i < large.size(); ++i)
      if (mask >> i & 1 && !isHeld[large[i]]) {
        isHeld[large[i]] = 1;
        bytes += nodes[large[i]].bytes;
      }
    return bytes;
  };
  std::vector<char> isHeld;
  size_t masks = size_t(1) << large.size();
  for (size_t at = 0; at < masks; ++at) {
    WindowOption option;
    option.bytesAt = hold(at, freeAt, isHeld);
    option.seconds = close(late, isHeld, seen).seconds;
    option.readsBoundary = readsBoundary;
    std::vector<int32_t> now(early.begin(), early.end());
    for (size_t i = 0; i < large.size(); ++i)
      if (at >> i & 1)
        now.push_back(large[i]);
    if (isLast) {
      // All of it has run by then, as every op does.
      add(option);
      continue;
    }
    for (size_t before = 0; before < masks; ++before) {
      WindowOption both = option;
      both.bytesBefore = hold(before, freeBefore, isHeld);
      Closure closure = close(now, isHeld, seen);
      both.seconds += closure.seconds;
      both.readsBoundary |= closure.readsBoundary;
      add(both);
    }
  }
  return options;
}

/// The op of a window at which most bytes are needed: those of `heldBytes` and
/// what is read later.
static int32_t chooseMoment(const Chain &chain, int32_t index,
                            const std::vector<int64_t> &heldBytes) {
  const RecomputeProgram &program = *chain.program;
  const ChainStage &stage = chain.stages[index];
  auto isOwn = [&](int32_t storage) {
    int32_t producer = program.producers[storage];
    return producer >= stage.opBegin && producer < stage.opEnd;
  };
  // Bytes of the stage that are read behind each op and by none before.
  std::map<int32_t, int32_t> lastRead;
  for (int32_t t = stage.windowBegin; t < stage.windowEnd; ++t)
    for (int32_t value : program.getOp(t).inputs)
      if (isOwn(program.storages[value]))
        lastRead[program.storages[value]] = t;
  int32_t best = -1;
  int64_t most = -1;
  for (int32_t t = stage.windowBegin; t < stage.windowEnd; ++t) {
    if (!program.isFixed(t))
      continue;
    int64_t bytes = heldBytes[t];
    for (auto [storage, last] : lastRead)
      if (last > t && !is_contained(program.getOp(t).inputs, storage))
        bytes += program.getBytes(storage);
    if (bytes > most) {
      most = bytes;
      best = t;
    }
  }
  return best;
}

/// Whether an op touches what stages before the one ahead of `index` make: that
/// would count twice.
static bool touchesEarlierStage(const Chain &chain, int32_t index, int32_t op) {
  int32_t begin = index > 0 ? chain.stages[index - 1].opBegin : 0;
  return any_of(getStorages(*chain.program, op), [&](int32_t storage) {
    int32_t producer = chain.program->producers[storage];
    return producer >= 0 && producer < begin && !chain.isPinned[storage];
  });
}

/// What a window reads of its stage, and the options to have it.
static void addOptions(const Chain &chain, int32_t index, bool isLast,
                       int32_t momentBefore, const StageNetwork &network,
                       NestedStage &nested) {
  const RecomputeProgram &program = *chain.program;
  const ChainStage &stage = chain.stages[index];
  std::vector<int32_t> early, late, freeBefore, freeAt;
  bool readsBoundary = false;
  auto addNode = [&](int32_t storage, std::vector<int32_t> &to) {
    if (int32_t node = network.find(storage);
        node >= 0 && !is_contained(to, node))
      to.push_back(node);
  };
  for (int32_t t = stage.windowBegin; t < stage.windowEnd; ++t)
    for (int32_t value : program.getOp(t).inputs) {
      int32_t storage = program.storages[value];
      addNode(storage, t <= nested.moment ? early : late);
      readsBoundary |= t <= nested.moment && storage == stage.boundary;
    }
  if (momentBefore >= 0)
    for (int32_t storage : getStorages(program, momentBefore))
      addNode(storage, freeBefore);
  if (nested.moment >= 0)
    for (int32_t storage : getStorages(program, nested.moment))
      addNode(storage, freeAt);
  nested.options = network.getOptions(early, late, freeBefore, freeAt,
                                      readsBoundary, isLast);
  nested.needsBoundary =
      none_of(nested.options, [](const WindowOption &option) {
        return option.bytesBefore == 0 && !option.readsBoundary;
      });
  for (WindowOption &option : nested.options)
    option.bytesBefore = std::max<int64_t>(
        0, option.bytesBefore -
               nested.doubtBytes * (option.readsBoundary ? 1 : 2));
}

std::vector<NestedStage>
nlp::solver::findNestedStages(const Chain &chain,
                              const std::vector<int64_t> &heldBytes) {
  const RecomputeProgram &program = *chain.program;
  int32_t count = chain.stages.size();
  std::vector<NestedStage> stages(count);
  for (int32_t k = 0; k < count; ++k) {
    int32_t moment = chooseMoment(chain, k, heldBytes);
    if (moment < 0 || touchesEarlierStage(chain, k, moment))
      continue;
    stages[k].moment = moment;
    stages[k].heldBytes = heldBytes[moment];
  }
  // Without a last stage's moment, nothing says what has run.
  while (count > 0 && stages[count - 1].moment < 0)
    --count;
  stages.resize(count);
  if (count < 2)
    return {};
  std::vector<char> hasRun = getBefore(program, stages.back().moment);
  int32_t first = 0;
  int64_t least = INT64_MAX;
  for (int32_t k = 0; k < count; ++k) {
    NestedStage &stage = stages[k];
    StageNetwork network(chain, k, hasRun);
    bool isLast = k + 1 == count;
    int32_t out = isLast ? -1 : chain.stages[k + 1].boundary;
    int64_t bytes = out < 0 ? 0 : program.storageBytes[out];
    int64_t smaller = std::min(least, bytes);
    stage.doubtBytes = std::max(stage.boundaryBytes, smaller);
    network.setFree(stage.doubtBytes);
    addOptions(chain, k, isLast, isLast ? -1 : stages[k + 1].moment, network,
               stage);
    if (isLast)
      break;
    double seconds = network.getPassSeconds(out);
    if (seconds < 0 || bytes / kWider >= least) {
      // What leads out is as good as free, or worth to start from.
      first = k + 1;
      least = INT64_MAX;
      continue;
    }
    stage.passSeconds = seconds;
    least = smaller;
    stages[k + 1].boundaryBytes = least;
  }
  stages[first].boundaryBytes = 0;
  stages.erase(stages.begin(), stages.begin() + first);
  return stages;
}
