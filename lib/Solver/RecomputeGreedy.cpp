//===- RecomputeGreedy.cpp - Schedules of any program -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op runs in the order given; between two of its uses a storage may be
// missing, and then its op runs again just before the use. Rounds choose what
// is missing: of the storages that are live where there is too much, those that
// cost the least time for a byte, until a sum over the positions says that it
// is enough; the replay says whether it was. Then, where there is work left,
// what turned out to be needless is kept again. One pass from the order given
// down to the smallest peak yields plans for all budgets.
//
//===----------------------------------------------------------------------===//

#include "RecomputeGreedy.h"
#include "RecomputeOverload.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace nlp::solver;

/// Peaks aimed at between that of the order given and the floor.
static constexpr int kLevels = 48;
/// Rounds for a level.
static constexpr int kRounds = 8;
/// Rounds without a smaller peak after which the pass ends.
static constexpr int kFutile = 12;
/// A gap is missing once, or after each time that its storage is made only for
/// another one.
static constexpr char kMaxMissing = 2;
/// Depth to which the price of what has to be made first is added up.
static constexpr int kMaxDepth = 3;
/// An order may be so many times as long as the one given.
static constexpr size_t kMaxLength = 8;
/// Work for each execution of a plan, and for each one that is looked at for
/// what to drop.
static constexpr int64_t kPlanWork = 400, kDropWork = 800;

namespace {
class GreedyPlanner {
public:
  GreedyPlanner(const RecomputeProgram &program, int64_t work,
                const std::function<bool()> &shouldStop);
  std::vector<GreedyPlan> run(int64_t floorBytes);

private:
  /// A storage that is live and not used between two positions.
  struct Interval {
    int32_t storage, gap, begin, end;
    double price; ///< Seconds for a byte.
    int64_t bytes;
  };

  bool makePlan(GreedyPlan &plan);
  void makeValue(int32_t value, std::vector<int32_t> &order);
  void finishOp(int32_t op);
  std::vector<Interval> findIntervals(const GreedyPlan &plan,
                                      const std::vector<int64_t> &live,
                                      int64_t aim);
  double getPrice(int32_t storage, int32_t position, int depth,
                  int64_t &extended) const;
  bool dropAtOverload(const GreedyPlan &plan, int64_t aim);
  void keepAgain(GreedyPlan &plan, int64_t aim, int64_t share);
  bool isOver() const { return work <= 0 || (shouldStop && shouldStop()); }
  ArrayRef<int32_t> getStorages(int32_t op) const { return touched[op]; }

  const RecomputeProgram &program;
  int64_t work;
  const std::function<bool()> &shouldStop;
  std::vector<SmallVector<int32_t, 6>> touched; ///< Storages of each op.
  std::vector<SmallVector<int32_t, 2>> members; ///< Values of each storage.
  /// The gap behind the first use of each storage; one for each use follows.
  std::vector<int32_t> firstGap;
  std::vector<char> missing; ///< Of each gap.
  // While a plan is made: whether values are there, the gap each storage is in,
  // the ops under way that need a value.
  std::vector<char> isPresent;
  std::vector<int32_t> gaps, holds;
  // Of the plan at hand: the position of each storage's last use.
  std::vector<int32_t> lastUse;
};
} // namespace

GreedyPlanner::GreedyPlanner(const RecomputeProgram &program, int64_t work,
                             const std::function<bool()> &shouldStop)
    : program(program), work(work), shouldStop(shouldStop) {
  touched.resize(program.getNumOps());
  members.resize(program.getNumValues());
  firstGap.assign(program.getNumValues() + 1, 0);
  for (size_t v = 0; v < program.getNumValues(); ++v)
    members[program.storages[v]].push_back(v);
  for (size_t i = 0; i < touched.size(); ++i) {
    auto add = [&](int32_t value) {
      int32_t storage = program.storages[value];
      if (program.getBytes(value) > 0 && !is_contained(touched[i], storage)) {
        touched[i].push_back(storage);
        ++firstGap[storage + 1];
      }
    };
    for_each(program.getOp(i).inputs, add);
    for_each(program.getOp(i).outputs, add);
  }
  for (size_t s = 0; s < program.getNumValues(); ++s)
    firstGap[s + 1] += firstGap[s];
  missing.assign(firstGap.back(), 0);
}

/// Takes the values away that are missing behind a use.
void GreedyPlanner::finishOp(int32_t op) {
  for (int32_t storage : touched[op])
    if (missing[++gaps[storage]] > 0)
      for (int32_t value : members[storage])
        isPresent[value] = program.isConstant(value);
}

/// Runs ops again until `value` is there.
void GreedyPlanner::makeValue(int32_t value, std::vector<int32_t> &order) {
  std::vector<std::pair<int32_t, size_t>> stack; // op, next input
  auto push = [&](int32_t made) {
    stack.push_back({program.producers[made], 0});
    for (int32_t input : program.getOp(stack.back().first).inputs)
      ++holds[program.storages[input]];
  };
  push(value);
  while (!stack.empty()) {
    auto &[op, next] = stack.back();
    const ProgramOp &details = program.getOp(op);
    if (next < details.inputs.size()) {
      int32_t input = details.inputs[next++];
      if (!isPresent[input])
        push(input);
      continue;
    }
    order.push_back(op);
    for (int32_t output : details.outputs)
      isPresent[output] = 1;
    for (int32_t input : details.inputs) {
      int32_t storage = program.storages[input];
      if (--holds[storage] == 0 && gaps[storage] >= firstGap[storage] &&
          !program.isConstant(input) && missing[gaps[storage]] > 1)
        for (int32_t member : members[storage])
          isPresent[member] = program.isConstant(member);
    }
    stack.pop_back();
  }
}

/// The order in which what is missing is made again before its uses; false if
/// it gets out of hand.
bool GreedyPlanner::makePlan(GreedyPlan &plan) {
  plan.order.clear();
  isPresent.assign(program.getNumValues(), 0);
  holds.assign(program.getNumValues(), 0);
  gaps.resize(program.getNumValues());
  for (size_t v = 0; v < program.getNumValues(); ++v) {
    isPresent[v] = program.isConstant(v);
    gaps[v] = firstGap[v] - 1;
  }
  for (size_t i = 0; i < program.getNumOps(); ++i) {
    const ProgramOp &op = program.getOp(i);
    for (int32_t input : op.inputs)
      ++holds[program.storages[input]];
    for (int32_t input : op.inputs)
      if (!isPresent[input])
        makeValue(input, plan.order);
    for (int32_t input : op.inputs)
      --holds[program.storages[input]];
    plan.order.push_back(i);
    for (int32_t output : op.outputs)
      isPresent[output] = 1;
    finishOp(i);
    if (plan.order.size() > kMaxLength * (program.getNumOps() + 8)) {
      work -= kPlanWork * static_cast<int64_t>(plan.order.size());
      return false;
    }
  }
  plan.replay = replayOrder(program, plan.order);
  work -= kPlanWork * static_cast<int64_t>(plan.order.size());
  return true;
}

/// Seconds to make a storage again at a position, with what is missing then
/// itself; adds the bytes that would have to stay for it to `extended`.
double GreedyPlanner::getPrice(int32_t storage, int32_t position, int depth,
                               int64_t &extended) const {
  int32_t producer = program.producers[storage];
  double seconds = program.getOp(producer).seconds;
  for (int32_t input : program.getOp(producer).inputs) {
    int32_t from = program.storages[input];
    if (program.isConstant(input) || program.getBytes(input) == 0 ||
        lastUse[from] >= position)
      continue;
    if (missing[firstGap[from + 1] - 1] > 0 && program.canDrop[from] &&
        depth < kMaxDepth)
      seconds += getPrice(from, position, depth + 1, extended);
    else
      extended += program.getBytes(input);
  }
  return seconds;
}

/// What may be dropped where more than `aim` is live.
std::vector<GreedyPlanner::Interval>
GreedyPlanner::findIntervals(const GreedyPlan &plan,
                             const std::vector<int64_t> &live, int64_t aim) {
  // The overloaded positions up to each one.
  std::vector<int32_t> overloads(live.size() + 1, 0);
  for (size_t i = 0; i < live.size(); ++i)
    overloads[i + 1] = overloads[i] + (live[i] > aim);
  lastUse.assign(program.getNumValues(), -1);
  for (size_t i = 0; i < plan.order.size(); ++i)
    for (int32_t storage : touched[plan.order[i]])
      lastUse[storage] = i;
  std::vector<Interval> intervals;
  std::vector<int32_t> previous(program.getNumValues(), -1);
  std::vector<int32_t> gap(firstGap.begin(), firstGap.end() - 1);
  for (int32_t &g : gap)
    --g;
  int32_t nextBase = 0;
  for (size_t i = 0; i < plan.order.size(); ++i) {
    int32_t op = plan.order[i];
    // Ops run in the order given for the first time.
    bool isBase = op == nextBase;
    nextBase += isBase;
    for (int32_t storage : touched[op]) {
      int32_t begin = previous[storage];
      previous[storage] = i;
      int32_t g = gap[storage];
      gap[storage] += isBase;
      int32_t producer = program.producers[storage];
      if (begin < 0 || producer < 0 || producer == op ||
          !program.canDrop[storage] || missing[g] >= kMaxMissing ||
          overloads[i] == overloads[begin + 1])
        continue;
      Interval interval{storage, g,
                        begin,   static_cast<int32_t>(i),
                        0,       program.storageBytes[storage]};
      int64_t extended = 0;
      double seconds = getPrice(storage, i, 0, extended);
      interval.bytes -= extended;
      if (interval.bytes <= 0)
        continue;
      interval.price = seconds / interval.bytes;
      intervals.push_back(interval);
    }
  }
  return intervals;
}

/// Marks gaps as missing until nothing should be above `aim`; whether any was.
bool GreedyPlanner::dropAtOverload(const GreedyPlan &plan, int64_t aim) {
  std::vector<int64_t> live;
  replayOrder(program, plan.order, nullptr, &live);
  std::vector<Interval> intervals = findIntervals(plan, live, aim);
  llvm::stable_sort(intervals, [](const Interval &a, const Interval &b) {
    if (a.price != b.price)
      return a.price < b.price;
    return a.end - a.begin > b.end - b.begin;
  });
  work -= kDropWork * static_cast<int64_t>(live.size());
  OverloadTree tree(live);
  bool any = false;
  for (const Interval &interval : intervals) {
    if (tree.getMax(interval.begin + 1, interval.end) <= aim)
      continue;
    tree.add(interval.begin + 1, interval.end, -interval.bytes);
    ++missing[interval.gap];
    any = true;
  }
  return any;
}

/// Keeps what need not be missing, with up to `share` of the work.
void GreedyPlanner::keepAgain(GreedyPlan &plan, int64_t aim, int64_t share) {
  int64_t least = work - share;
  GreedyPlan trial;
  for (size_t g = 0; g < missing.size() && work > least; ++g) {
    if (missing[g] == 0)
      continue;
    --missing[g];
    if (makePlan(trial) && trial.replay.peakBytes <= aim &&
        trial.replay.seconds <= plan.replay.seconds)
      std::swap(plan, trial);
    else
      ++missing[g];
  }
}

std::vector<GreedyPlan> GreedyPlanner::run(int64_t floorBytes) {
  std::vector<GreedyPlan> plans(1);
  GreedyPlan plan;
  makePlan(plan);
  plans[0] = plan;
  int64_t highest = plan.replay.peakBytes, smallest = highest;
  int64_t share = work / (2 * kLevels);
  int futile = 0;
  for (int level = 1; level <= kLevels && futile < kFutile && !isOver();
       ++level) {
    int64_t aim = highest - static_cast<int64_t>(
                                static_cast<__int128>(highest - floorBytes) *
                                level / kLevels);
    for (int round = 0; round < kRounds && plan.replay.peakBytes > aim &&
                        futile < kFutile && !isOver();
         ++round) {
      if (!dropAtOverload(plan, aim) || !makePlan(plan))
        return plans;
      futile = plan.replay.peakBytes < smallest ? 0 : futile + 1;
      if (plan.replay.peakBytes < smallest) {
        smallest = plan.replay.peakBytes;
        plans.push_back(plan);
      }
    }
    if (plan.replay.peakBytes <= aim) {
      keepAgain(plan, aim, share);
      plans.push_back(plan);
    }
  }
  return plans;
}

std::vector<GreedyPlan>
nlp::solver::planGreedily(const RecomputeProgram &program, int64_t floorBytes,
                          int64_t work,
                          const std::function<bool()> &shouldStop) {
  return GreedyPlanner(program, work, shouldStop).run(floorBytes);
}
