//===- RecomputeBound.cpp - A time no schedule is below ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound of docs/Planner/Recompute.md, (4) to (8). When an op first runs,
// what its predecessors have put out and its successors read is either live or
// computed again; a minimum cut weighs the two at a price for bytes, and the
// price is chosen by intersecting the two lines that enclose the best one. Any
// op and any price give a valid bound, so a few promising ones will do. Prices
// and times are rounded down to integers: what the cut says is never too much.
//
//===----------------------------------------------------------------------===//

#include "RecomputeBound.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;
using namespace nlp::solver;

/// All ops together are worth this many units of capacity.
static constexpr double kUnits = 0x1p44;
/// Keeps what is computed in floating point on the safe side.
static constexpr double kRounding = 1e-12;
/// Ops at which the bound is computed.
static constexpr size_t kMaxCandidates = 12;
/// Those with most live bytes come from all over the program, no nearer than
/// its length divided by this, but for a few.
static constexpr int32_t kPeakDistance = 64;
static constexpr size_t kHighest = 4;
static constexpr int kMaxCuts = 40;
/// Edges looked at for a budget, after which what has been found has to do.
static constexpr int64_t kMaxWork = 200'000'000;

SmallVector<int32_t, 8>
nlp::solver::getStorages(const RecomputeProgram &program, int32_t op) {
  SmallVector<int32_t, 8> storages;
  auto add = [&](int32_t value) {
    int32_t storage = program.storages[value];
    if (program.getBytes(value) > 0 && !is_contained(storages, storage))
      storages.push_back(storage);
  };
  for_each(program.getOp(op).inputs, add);
  for_each(program.getOp(op).outputs, add);
  return storages;
}

/// Constants and operands: what is live while `op` runs, at least.
static int64_t getOwnBytes(const RecomputeProgram &program, int32_t op) {
  const ProgramOp &details = program.getOp(op);
  int64_t bytes = program.constantBytes + details.workspaceBytes;
  for (int32_t storage : getStorages(program, op))
    bytes += program.getBytes(storage);
  // At most this much of the outputs lies in inputs that die.
  SmallVector<int32_t, 2> placed;
  for (auto [output, input] : details.inPlace) {
    int32_t to = program.storages[details.outputs[output]];
    if (to == program.storages[details.inputs[input]] ||
        is_contained(placed, to))
      continue;
    placed.push_back(to);
    int64_t most = 0;
    for (auto [other, from] : details.inPlace)
      if (program.storages[details.outputs[other]] == to)
        most = std::max(most, program.getBytes(details.inputs[from]));
    bytes -= std::min(most, program.getBytes(to));
  }
  return bytes;
}

/// Marks `op` and all it depends on.
static void markAncestors(const RecomputeProgram &program, int32_t op,
                          std::vector<char> &marks) {
  if (marks[op])
    return;
  std::vector<int32_t> pending{op};
  marks[op] = 1;
  while (!pending.empty()) {
    int32_t next = pending.back();
    pending.pop_back();
    for (int32_t input : program.getOp(next).inputs) {
      int32_t producer = program.producers[input];
      if (producer < 0 || marks[producer])
        continue;
      marks[producer] = 1;
      pending.push_back(producer);
    }
  }
}

std::vector<char> nlp::solver::getBefore(const RecomputeProgram &program,
                                         int32_t op) {
  std::vector<char> marks(program.getNumOps(), 0);
  markAncestors(program, op, marks);
  if (program.isFixed(op))
    for (int32_t i = 0; i < op; ++i)
      if (program.isFixed(i))
        markAncestors(program, i, marks);
  marks[op] = 0;
  return marks;
}

/// The ops that have not run, in any schedule, before `op` first does.
static std::vector<char> getAfter(const RecomputeProgram &program, int32_t op) {
  std::vector<char> marks(program.getNumOps(), 0);
  marks[op] = 1;
  for (int32_t i = op + 1; i < static_cast<int32_t>(marks.size()); ++i) {
    marks[i] = program.isFixed(op) && program.isFixed(i);
    for (int32_t input : program.getOp(i).inputs)
      if (program.producers[input] >= 0 && marks[program.producers[input]])
        marks[i] = 1;
  }
  marks[op] = 0;
  return marks;
}

BoundNetwork::BoundNetwork(const RecomputeProgram &program, int32_t op,
                           double unit)
    : op(op), heldBytes(getOwnBytes(program, op)) {
  enum : int32_t { kUnseen = -1, kFree = -2 };
  std::vector<int32_t> nodes(program.getNumValues(), kUnseen);
  std::vector<int32_t> opNodes(program.getNumOps(), kUnseen);
  for (int32_t storage : getStorages(program, op))
    nodes[storage] = kFree;
  std::vector<char> before = getBefore(program, op);
  std::vector<char> after = getAfter(program, op);

  std::vector<int32_t> pending; // storages
  auto getNode = [&](int32_t value) -> int32_t {
    int32_t storage = program.storages[value];
    if (program.isConstant(storage) || !program.canRebuild[storage] ||
        program.getBytes(storage) == 0)
      return kFree;
    if (nodes[storage] == kUnseen) {
      nodes[storage] = network.addNode();
      pending.push_back(storage);
    }
    return nodes[storage];
  };
  std::vector<char> isDemanded(program.getNumValues(), 0);
  auto demand = [&](int32_t value) {
    int32_t storage = program.storages[value];
    int32_t producer = program.producers[value];
    if (producer < 0 || !before[producer] || isDemanded[storage])
      return;
    isDemanded[storage] = 1;
    if (nodes[storage] == kFree || program.isConstant(storage))
      return;
    if (program.isFixed(program.producers[storage])) {
      heldBytes += program.getBytes(storage);
      nodes[storage] = kFree;
      return;
    }
    int32_t node = getNode(value);
    if (node < 0)
      return;
    network.addEdge(network.getSource(), node, MinCut::kInfinite);
    keepAll.bytes += program.getBytes(storage);
  };
  for (size_t i = op + 1; i < after.size(); ++i)
    if (after[i])
      for_each(program.getOp(i).inputs, demand);
  for_each(program.problem.results, demand);

  while (!pending.empty()) {
    int32_t storage = pending.back();
    pending.pop_back();
    int32_t producer = program.producers[storage];
    Keep keep{0, nodes[storage], 0, program.getBytes(storage)};
    if (program.isFixed(producer)) {
      keep.producer = network.getSink();
      keep.edge = network.addEdge(keep.node, keep.producer);
      keeps.push_back(keep);
      recomputeAll.bytes += keep.bytes;
      continue;
    }
    if (opNodes[producer] < 0) {
      int32_t node = opNodes[producer] = network.addNode();
      double units = std::floor(program.getOp(producer).seconds / unit);
      runs.push_back({network.addEdge(node, network.getSink()), node, producer,
                      static_cast<int64_t>(units)});
      recomputeAll.units += units;
      for (int32_t input : program.getOp(producer).inputs)
        if (int32_t from = getNode(input); from >= 0)
          network.addEdge(node, from, MinCut::kInfinite);
    }
    keep.producer = opNodes[producer];
    keep.edge = network.addEdge(keep.node, keep.producer);
    keeps.push_back(keep);
  }
}

BoundNetwork::Cut BoundNetwork::cut(double price) {
  for (const Run &run : runs)
    network.setCapacity(run.edge, run.units);
  for (const Keep &keep : keeps)
    network.setCapacity(keep.edge, static_cast<int64_t>(std::min(
                                       16 * kUnits, price * keep.bytes)));
  Cut cut;
  cut.value = network.solve();
  for (const Run &run : runs)
    if (network.isAtSource(run.node))
      cut.units += run.units;
  for (const Keep &keep : keeps)
    if (network.isAtSource(keep.node) && !network.isAtSource(keep.producer))
      cut.bytes += keep.bytes;
  return cut;
}

std::vector<int32_t> BoundNetwork::getRecomputed() const {
  std::vector<int32_t> ops;
  for (const Run &run : runs)
    if (network.isAtSource(run.node))
      ops.push_back(run.op);
  llvm::sort(ops);
  return ops;
}

std::vector<int64_t>
nlp::solver::getHeldBytes(const RecomputeProgram &program) {
  size_t count = program.getNumOps();
  std::vector<int64_t> held(count), change(count + 1, 0);
  for (size_t i = 0; i < count; ++i)
    held[i] = getOwnBytes(program, i);
  // A storage that only a fixed op can put out stays until no fixed op reads
  // it: between, and not at, the fixed ops that have it as an operand.
  std::vector<SmallVector<int32_t, 4>> touches(program.getNumValues());
  for (size_t i = 0; i < count; ++i)
    if (program.isFixed(i))
      for (int32_t storage : getStorages(program, i))
        touches[storage].push_back(i);
  for (int32_t result : program.problem.results)
    touches[program.storages[result]].push_back(count);
  for (size_t s = 0; s < touches.size(); ++s) {
    int32_t producer = program.producers[s];
    if (producer < 0 || !program.isFixed(producer))
      continue;
    for (size_t k = 0; k + 1 < touches[s].size(); ++k)
      if (touches[s][k] < touches[s][k + 1]) {
        change[touches[s][k] + 1] += program.storageBytes[s];
        change[touches[s][k + 1]] -= program.storageBytes[s];
      }
  }
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += change[i];
    if (program.isFixed(i))
      held[i] += sum;
  }
  return held;
}

/// Thins `ops` out to a few, evenly, with the last one among them.
static std::vector<int32_t> thinOut(const std::vector<int32_t> &ops) {
  size_t count = std::min(ops.size(), kMaxCandidates);
  std::vector<int32_t> kept;
  for (size_t i = 1; i <= count; ++i)
    kept.push_back(ops[i * ops.size() / count - 1]);
  return kept;
}

/// Of `ops`, those at which more is live, with everything kept, than near them.
static std::vector<int32_t> findPeaks(const RecomputeProgram &program,
                                      std::vector<int32_t> ops) {
  std::vector<int32_t> order(program.getNumOps());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::vector<int64_t> live;
  replayOrder(program, order, nullptr, &live);
  llvm::stable_sort(ops,
                    [&](int32_t a, int32_t b) { return live[a] > live[b]; });
  std::vector<int32_t> peaks;
  int32_t distance = std::max<int32_t>(1, order.size() / kPeakDistance);
  for (int32_t op : ops)
    if (peaks.size() < kMaxCandidates && all_of(peaks, [&](int32_t other) {
          return std::abs(other - op) >= distance;
        }))
      peaks.push_back(op);
  // The highest ones, however near to each other.
  for (size_t i = 0; i < std::min(kHighest, ops.size()); ++i)
    if (!is_contained(peaks, ops[i]))
      peaks.push_back(ops[i]);
  return peaks;
}

RecomputeBounder::RecomputeBounder(const RecomputeProgram &program)
    : program(program), unit(std::max(program.onceSeconds, 1e-30) / kUnits) {
  std::vector<int64_t> held = getHeldBytes(program);
  std::vector<int32_t> records;
  int64_t record = -1;
  floorBytes = program.constantBytes;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] > floorBytes || floorOp < 0) {
      floorBytes = std::max(floorBytes, held[i]);
      floorOp = i;
    }
    // Later fixed ops need less of what was computed before, so that only one
    // that holds more can say more.
    if (program.problem.firstFixed <= static_cast<int32_t>(i) &&
        held[i] > record) {
      record = held[i];
      records.push_back(i);
    }
  }
  if (records.empty()) {
    records.resize(held.size());
    for (size_t i = 0; i < held.size(); ++i)
      records[i] = i;
    candidates = findPeaks(program, records);
    // What ops before it that run once have put out is held at an op, too.
    for (int32_t op : candidates)
      if (int64_t bytes = getNetwork(op).heldBytes; bytes > floorBytes) {
        floorBytes = bytes;
        floorOp = op;
      }
    return;
  }
  candidates = findPeaks(program, records);
  for (int32_t op : thinOut(records))
    if (!is_contained(candidates, op))
      candidates.push_back(op);
}

BoundNetwork &RecomputeBounder::getNetwork(int32_t op) {
  std::unique_ptr<BoundNetwork> &network = networks[op];
  if (!network)
    network = std::make_unique<BoundNetwork>(program, op, unit);
  return *network;
}

RecomputeBound RecomputeBounder::bound(int64_t budgetBytes) {
  RecomputeBound bound;
  bound.floorBytes = floorBytes;
  bound.seconds = program.onceSeconds * (1 - kRounding);
  if (budgetBytes < floorBytes) {
    bound.seconds = std::numeric_limits<double>::infinity();
    bound.certificate.op = floorOp;
    bound.certificate.heldBytes = floorBytes;
    return bound;
  }
  long double best = 0;
  double bestPrice = 0;
  int64_t work = 0;
  for (int32_t op : candidates) {
    BoundNetwork &network = getNetwork(op);
    if (network.heldBytes > budgetBytes) {
      bound.seconds = std::numeric_limits<double>::infinity();
      bound.certificate = {op, 0, network.heldBytes, {}};
      return bound;
    }
    long double room = budgetBytes - network.heldBytes;
    BoundNetwork::Cut low = network.keepAll, high = network.recomputeAll;
    // Where even at the highest price more is held than there is room, the
    // price still has to be finite.
    if (high.bytes >= room)
      high.bytes = 0;
    for (int i = 0; i < kMaxCuts && low.bytes > room && work < kMaxWork; ++i) {
      long double price = (high.units - low.units) / (low.bytes - high.bytes);
      long double most = low.units + price * (low.bytes - room);
      if (!(price > 0) || most <= best)
        break;
      if (i == 0 && bestPrice > 0)
        price = bestPrice;
      int64_t before = network.getWork();
      BoundNetwork::Cut cut = network.cut(price);
      work += network.getWork() - before;
      long double value = cut.value - price * room;
      value -= kRounding * (cut.value + price * room);
      if (value > best) {
        best = value;
        bestPrice = price;
        bound.certificate.op = op;
        bound.certificate.secondsPerByte = bestPrice * unit;
        bound.certificate.heldBytes = network.heldBytes;
        bound.certificate.recomputed = network.getRecomputed();
      }
      if (value >= most - 1e-8L * most || cut.bytes == room)
        break;
      (cut.bytes > room ? low : high) = cut;
    }
  }
  bound.seconds += static_cast<double>(best) * unit * (1 - kRounding);
  addNested(budgetBytes, bound);
  return bound;
}

/// Takes the bound that counts repetitions, where that says more.
void RecomputeBounder::addNested(int64_t budgetBytes, RecomputeBound &bound) {
  double once = program.onceSeconds * (1 - kRounding);
  if (bound.seconds <= once)
    return;
  if (!nested) {
    std::optional<Chain> chain = findChain(program);
    nested.emplace(chain ? findNestedStages(*chain, getHeldBytes(program))
                         : std::vector<NestedStage>());
  }
  if (!nested->isUseful())
    return;
  std::vector<double> prices =
      nested->findPrices(budgetBytes, bound.seconds - once);
  if (prices.empty())
    return;
  double seconds =
      once + nested->evaluate(budgetBytes, prices) * (1 - kRounding);
  if (!(seconds > bound.seconds))
    return;
  // One cut does not prove it.
  bound.seconds = seconds;
  bound.certificate = {};
}
