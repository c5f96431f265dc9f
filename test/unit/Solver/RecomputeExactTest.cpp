//===- RecomputeExactTest.cpp - The proven optimum, tried -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random tiny programs with everything a program may have, against a search
// that tries every op and every set of values to drop behind it, without masks
// of storages, laziness, dominance or estimates.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/RecomputeExact.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <map>
#include <queue>
#include <random>

using namespace nlp::solver;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Up to `maxOps` ops with aliases, in-place outputs, workspaces, zeros,
/// several outputs, ops nobody needs and ops that run once.
static RecomputeProblem makeProblem(unsigned seed, unsigned maxOps) {
  std::mt19937 random(seed);
  auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  RecomputeProblem problem;
  auto addValue = [&] {
    ProgramValue value;
    value.bytes = chance(10) ? 0 : 1 + random() % 9;
    if (!problem.values.empty() && chance(15))
      value.aliasOf = random() % problem.values.size();
    problem.values.push_back(value);
    return static_cast<int32_t>(problem.values.size() - 1);
  };
  for (unsigned i = random() % 3; i > 0; --i)
    addValue();
  unsigned opCount = 1 + random() % maxOps;
  for (unsigned i = 0; i < opCount; ++i) {
    ProgramOp op;
    op.seconds = chance(10) ? 0 : 1 + random() % 9;
    op.workspaceBytes = chance(20) ? random() % 5 : 0;
    op.canRepeat = chance(90);
    if (!problem.values.empty())
      for (unsigned n = random() % 3 + (i > 0); n > 0; --n) {
        unsigned count = problem.values.size();
        op.inputs.push_back(chance(60)
                                ? count - 1 - random() % std::min(3u, count)
                                : random() % count);
      }
    for (unsigned n = chance(10) ? 0 : chance(20) ? 2 : 1; n > 0; --n)
      op.outputs.push_back(addValue());
    if (!op.inputs.empty() && !op.outputs.empty() && chance(25))
      op.inPlace.emplace_back(random() % op.outputs.size(),
                              random() % op.inputs.size());
    problem.ops.push_back(op);
  }
  problem.firstFixed = chance(50) ? opCount : random() % (opCount + 1);
  for (size_t i = 0; i < problem.values.size(); ++i)
    if (chance(20) || i + 1 == problem.values.size())
      problem.results.push_back(i);
  return problem;
}

namespace {
/// A program in the plainest terms.
struct Trial {
  const RecomputeProblem &problem;
  std::vector<bool> isConstant;
  using Values = std::vector<bool>;
  /// Live values, and how often each op has run: not, or at least once.
  using State = std::pair<Values, Values>;

  explicit Trial(const RecomputeProblem &problem)
      : problem(problem), isConstant(problem.values.size(), true) {
    for (const ProgramOp &op : problem.ops)
      for (int32_t output : op.outputs)
        isConstant[output] = false;
  }

  int32_t getRoot(int32_t value) const {
    auto target = problem.values[value].aliasOf;
    return target ? getRoot(*target) : value;
  }

  bool isHeld(const Values &live, int32_t root) const {
    for (size_t i = 0; i < live.size(); ++i)
      if (live[i] && getRoot(i) == root)
        return true;
    return false;
  }

  int64_t getBytes(const Values &live) const {
    int64_t bytes = 0;
    for (size_t i = 0; i < live.size(); ++i)
      if (isHeld(live, i))
        bytes += problem.values[i].bytes;
    return bytes;
  }

  bool isFixed(size_t op) const {
    return !problem.ops[op].canRepeat ||
           op >= static_cast<size_t>(problem.firstFixed);
  }

  bool canRun(const State &state, size_t op) const {
    for (int32_t input : problem.ops[op].inputs)
      if (!state.first[input])
        return false;
    if (!isFixed(op))
      return true;
    for (size_t i = 0; i < problem.ops.size(); ++i)
      if (isFixed(i) && state.second[i] != (i < op))
        return false;
    return true;
  }

  /// Bytes while `op` runs on `before`, if `after` is live behind it.
  int64_t getBytesDuring(const Values &before, size_t index,
                         const Values &after) const {
    const ProgramOp &op = problem.ops[index];
    Values during = before;
    for (int32_t output : op.outputs)
      during[output] = true;
    int64_t bytes = getBytes(during) + op.workspaceBytes;
    std::vector<int32_t> taken;
    for (auto [output, input] : op.inPlace) {
      int32_t to = getRoot(op.outputs[output]);
      int32_t from = getRoot(op.inputs[input]);
      if (to == from || isHeld(before, to) || isHeld(after, from) ||
          llvm::is_contained(taken, to) || llvm::is_contained(taken, from))
        continue;
      taken.insert(taken.end(), {to, from});
      bytes -= std::min(problem.values[to].bytes, problem.values[from].bytes);
    }
    return bytes;
  }

  /// Calls `visit` with each set of values that may be live behind `op`.
  template <typename Visit>
  void forEachNext(const State &state, size_t op, Visit visit) const {
    Values made = state.first;
    for (int32_t output : problem.ops[op].outputs)
      made[output] = true;
    std::vector<size_t> droppable;
    for (size_t i = 0; i < made.size(); ++i)
      if (made[i] && !isConstant[i])
        droppable.push_back(i);
    for (unsigned drop = 0; drop < 1u << droppable.size(); ++drop) {
      Values after = made;
      for (size_t i = 0; i < droppable.size(); ++i)
        if (drop >> i & 1)
          after[droppable[i]] = false;
      visit(after);
    }
  }

  bool isEnd(const State &state) const {
    for (bool hasRun : state.second)
      if (!hasRun)
        return false;
    for (int32_t result : problem.results)
      if (!state.first[result])
        return false;
    return true;
  }

  /// For each peak that can be had, the least time: falling with the peak.
  std::map<int64_t, double> getFrontier() const {
    // Label-setting over (seconds, peak).
    using Label = std::tuple<double, int64_t, State>;
    std::priority_queue<Label, std::vector<Label>, std::greater<>> queue;
    std::map<State, int64_t> leastPeak; // among labels taken so far
    std::map<int64_t, double> frontier;
    State start{isConstant, Values(problem.ops.size())};
    queue.emplace(0, getBytes(isConstant), start);
    while (!queue.empty()) {
      auto [seconds, peak, state] = queue.top();
      queue.pop();
      auto [found, isNew] = leastPeak.try_emplace(state, peak);
      if (!isNew && found->second <= peak)
        continue;
      found->second = peak;
      if (isEnd(state) && (frontier.empty() || frontier.begin()->first > peak))
        frontier[peak] = seconds;
      for (size_t op = 0; op < problem.ops.size(); ++op) {
        if (!canRun(state, op))
          continue;
        forEachNext(
            state, op,
            [&, seconds = seconds, peak = peak,
             &state = state](const Values &after) {
              int64_t bytes =
                  std::max(peak, getBytesDuring(state.first, op, after));
              if (!frontier.empty() && frontier.begin()->first <= bytes)
                return;
              State next{after, state.second};
              next.second[op] = true;
              auto known = leastPeak.find(next);
              if (known == leastPeak.end() || known->second > bytes)
                queue.emplace(seconds + problem.ops[op].seconds, bytes, next);
            });
      }
    }
    return frontier;
  }
};
} // namespace

/// Solves, and checks what every answer must fulfil.
static RecomputeSolution solve(const RecomputeProblem &problem, int64_t budget,
                               const ExactOptions &options = {}) {
  EXPECT_EQ(problem.check(), std::nullopt);
  std::optional<RecomputeSolution> solution =
      solveRecomputeExactly(problem, budget, options);
  EXPECT_TRUE(solution);
  if (!solution)
    return {};
  if (solution->feasible) {
    EXPECT_EQ(solution->verify(problem), std::nullopt);
    EXPECT_LE(solution->peakBytes, budget);
    EXPECT_LE(solution->bound.seconds, solution->seconds);
    EXPECT_NEAR(solution->bound.seconds, solution->seconds,
                1e-11 * solution->seconds);
  }
  return *solution;
}

TEST(RecomputeExact, EqualsTrialOfEverything) {
  int frontierPoints = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    RecomputeProblem problem = makeProblem(seed, seed < 900 ? 5 : 6);
    ASSERT_EQ(problem.check(), std::nullopt);
    std::map<int64_t, double> frontier = Trial(problem).getFrontier();
    ASSERT_FALSE(frontier.empty());
    frontierPoints += frontier.size();
    for (auto [peak, seconds] : frontier)
      EXPECT_NEAR(solve(problem, peak).seconds, seconds, 1e-9);
    // Between two peaks of the frontier nothing is to be had.
    for (auto next = std::next(frontier.begin()); next != frontier.end();
         ++next)
      EXPECT_NEAR(solve(problem, next->first - 1).seconds,
                  std::prev(next)->second, 1e-9);
    RecomputeSolution none = solve(problem, frontier.begin()->first - 1);
    EXPECT_FALSE(none.feasible);
    EXPECT_EQ(none.bound.seconds, infinity);
    std::optional<RecomputeSolution> least = minimizeRecomputePeak(problem, {});
    ASSERT_TRUE(least);
    EXPECT_EQ(least->verify(problem), std::nullopt);
    EXPECT_EQ(least->peakBytes, frontier.begin()->first);
    EXPECT_EQ(least->bound.floorBytes, frontier.begin()->first);
  }
  // The programs leave something to decide.
  EXPECT_GT(frontierPoints, 1000);
}

/// Forward and backward of `layers` layers, 4 bytes each value; the constant
/// has none. Keeping everything peaks at layers + 1 values.
static RecomputeProblem makeStep(int layers) {
  RecomputeProblem problem;
  problem.values.push_back({0, {}});
  auto addOp = [&](double seconds, llvm::SmallVector<int32_t, 4> inputs) {
    problem.values.push_back({4, {}});
    ProgramOp op;
    op.seconds = seconds;
    op.inputs = std::move(inputs);
    op.outputs.push_back(static_cast<int32_t>(problem.values.size() - 1));
    problem.ops.push_back(std::move(op));
  };
  for (int i = 0; i < layers; ++i)
    addOp(1, {i});
  for (int i = layers; i > 0; --i)
    addOp(2, {2 * layers - i, i - 1});
  problem.results.push_back(2 * layers);
  problem.firstFixed = layers;
  return problem;
}

TEST(RecomputeExact, KeepsFixedOpsInPlace) {
  // Values of 6 layers, each 4 bytes; backward ops read two and make one. Two
  // values are kept beside those, or three.
  RecomputeProblem problem = makeStep(6);
  EXPECT_EQ(solve(problem, 28).seconds, 18);
  RecomputeSolution tight = solve(problem, 16);
  EXPECT_TRUE(tight.isOptimal);
  EXPECT_GT(tight.seconds, 18);
  EXPECT_FALSE(solve(problem, 11).feasible);
  // The same bytes for less freedom: never faster.
  problem.firstFixed = static_cast<int32_t>(problem.ops.size());
  EXPECT_LE(solve(problem, 16).seconds, tight.seconds);
}

TEST(RecomputeExact, SearchesOnlyBelowWhatIsKnown) {
  RecomputeProblem problem = makeStep(6);
  double best = solve(problem, 16).seconds;
  ExactOptions options;
  options.knownSeconds = best;
  RecomputeSolution none = solve(problem, 16, options);
  EXPECT_FALSE(none.feasible);
  EXPECT_EQ(none.bound.seconds, best);
  options.knownSeconds = best + 1;
  EXPECT_EQ(solve(problem, 16, options).seconds, best);
}

TEST(RecomputeExact, GivesUpWithABound) {
  RecomputeProblem problem = makeStep(8);
  ExactOptions options;
  options.work = 20'000;
  double best = solve(problem, 16).seconds;
  RecomputeSolution early = solve(problem, 16, options);
  EXPECT_FALSE(early.feasible);
  EXPECT_GE(early.bound.seconds, 24);
  EXPECT_LE(early.bound.seconds, best);
  options.work = INT64_MAX / 2;
  options.shouldStop = [] { return true; };
  early = solve(problem, 16, options);
  EXPECT_FALSE(early.feasible);
  EXPECT_LE(early.bound.seconds, best);
  std::optional<RecomputeSolution> peak =
      minimizeRecomputePeak(problem, options);
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->verify(problem), std::nullopt);
  EXPECT_LE(peak->bound.floorBytes, 16);
}

TEST(RecomputeExact, LeavesLargeProgramsAlone) {
  RecomputeProblem problem = makeStep(33);
  EXPECT_FALSE(solveRecomputeExactly(problem, 100, ExactOptions()));
  EXPECT_FALSE(minimizeRecomputePeak(problem, ExactOptions()));
  // 64 ops and values fit the masks.
  problem = makeStep(32);
  EXPECT_EQ(solve(problem, 33 * 4).seconds, 96);
}

TEST(RecomputeExact, TakesTimesOfAnySize) {
  RecomputeProblem problem = makeStep(5);
  double best = solve(problem, 16).seconds;
  for (double scale : {0.0, 1e-250, 1e-9, 1e15}) {
    RecomputeProblem scaled = problem;
    for (ProgramOp &op : scaled.ops)
      op.seconds *= scale;
    RecomputeSolution solution = solve(scaled, 16);
    EXPECT_TRUE(solution.isOptimal);
    EXPECT_NEAR(solution.seconds, best * scale, 1e-9 * best * scale);
  }
}
