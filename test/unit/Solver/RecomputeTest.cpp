//===- RecomputeTest.cpp - Schedules within a budget ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the program, schedules pass the checker and keep the budget, larger
// budgets are never slower, and no schedule, however it came about, is below
// the bound. On training steps the gap between the two is small.
//
//===----------------------------------------------------------------------===//

#include "RandomPrograms.h"
#include "TrainingSteps.h"
#include "gtest/gtest.h"

using namespace nlp::solver;
using namespace nlp::test;

/// Little work: what is found does not matter here, but that it is right.
static RecomputeOptions quick() {
  RecomputeOptions options;
  options.exactWork = 2'000'000;
  options.greedyWork = 20'000'000;
  return options;
}

/// Checks the frontier and answers at budgets all over.
static void checkAllBudgets(const RecomputeProblem &problem,
                            const RecomputeOptions &options) {
  ASSERT_EQ(problem.check().value_or(""), "");
  RecomputeFrontier frontier = computeFrontier(problem, options);
  ASSERT_FALSE(frontier.points.empty());
  for (size_t i = 0; i < frontier.points.size(); ++i) {
    const FrontierPoint &point = frontier.points[i];
    RecomputeSolution solution;
    solution.schedule = point.schedule;
    solution.peakBytes = point.peakBytes;
    solution.seconds = point.seconds;
    EXPECT_EQ(solution.verify(problem).value_or(""), "");
    EXPECT_LE(point.peakBytes, point.budgetBytes);
    EXPECT_GE(point.peakBytes, frontier.floorBytes);
    EXPECT_LE(point.lowerBoundSeconds, point.seconds * (1 + 1e-9));
    if (i == 0)
      continue;
    EXPECT_LT(frontier.points[i - 1].peakBytes, point.peakBytes);
    EXPECT_GT(frontier.points[i - 1].seconds, point.seconds);
  }
  int64_t low = frontier.floorBytes, high = frontier.keepEverythingBytes;
  double slowest = std::numeric_limits<double>::infinity();
  for (int i = -1; i <= 5; ++i) {
    int64_t budget = low + (high - low) * i / 5;
    RecomputeSolution solution = solveRecompute(problem, budget, options);
    EXPECT_EQ(solution.verify(problem).value_or(""), "") << "budget " << budget;
    EXPECT_EQ(solution.feasible, solution.peakBytes <= budget);
    EXPECT_LE(boundRecompute(problem, budget).floorBytes, low);
    if (!solution.feasible)
      continue;
    EXPECT_LE(solution.bound.seconds, solution.seconds * (1 + 1e-9));
    EXPECT_LE(solution.seconds, slowest * (1 + 1e-9));
    slowest = solution.seconds;
  }
}

TEST(Recompute, SolvesRandomPrograms) {
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    checkAllBudgets(makeRandomProgram(random, draw(random, 1, 30), i % 2),
                    quick());
  }
}

TEST(Recompute, SolvesLargerRandomPrograms) {
  Random random(2);
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    checkAllBudgets(makeRandomProgram(random, draw(random, 100, 300), i % 2),
                    quick());
  }
}

TEST(Recompute, SolvesRandomChains) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    checkAllBudgets(makeRandomChain(random, draw(random, 1, 12), i % 2),
                    quick());
  }
}

TEST(Recompute, SolvesChainsWithInputs) {
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    checkAllBudgets(makeRandomChain(random, draw(random, 1, 12), i % 2, true),
                    quick());
  }
}

TEST(Recompute, PeaksOfThePoolAreNoLessThanThoseOfItsSchedules) {
  Random random(8);
  for (int i = 0; i < 40; ++i) {
    RecomputeProblem problem =
        makeRandomChain(random, draw(random, 1, 12), i % 2, i % 4 < 3);
    RecomputePool pool(problem, quick());
    std::vector<RecomputePool::Plan> plans = pool.getPlans();
    for (size_t k = 0; k < plans.size(); ++k) {
      RecomputeSolution solution;
      solution.schedule = pool.getSchedule(k);
      solution.seconds = plans[k].seconds;
      solution.peakBytes = -1;
      long peakBytes = -1;
      std::string message = solution.verify(problem).value_or("");
      ASSERT_EQ(
          std::sscanf(message.c_str(), "expected a peak of %ld", &peakBytes), 1)
          << message;
      EXPECT_LE(peakBytes, plans[k].peakBytes)
          << "program " << i << ", plan " << k;
    }
  }
}

TEST(Recompute, BoundHoldsForSampledSchedules) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    RecomputeProblem problem =
        i % 3 ? makeRandomProgram(random, draw(random, 2, 25), i % 2)
              : makeRandomChain(random, draw(random, 1, 12), i % 2, i % 6);
    for (int k = 0; k < 100; ++k) {
      RecomputeSolution schedule = makeRandomSchedule(random, problem);
      ASSERT_EQ(schedule.verify(problem).value_or(""), "");
      RecomputeBound bound = boundRecompute(problem, schedule.peakBytes);
      ASSERT_LE(bound.seconds, schedule.seconds * (1 + 1e-9))
          << "program " << i << ", schedule " << k;
      ASSERT_LE(bound.floorBytes, schedule.peakBytes);
    }
  }
}

/// The largest gap, in percent of the whole step, of schedules that take
/// `share` of the bytes above the model state or more.
static double getLargestGap(const StepShape &shape, double share) {
  RecomputeProblem problem = makeTrainingStep(shape);
  EXPECT_EQ(problem.check().value_or(""), "");
  int64_t state = problem.values[0].bytes;
  RecomputeFrontier frontier = computeFrontier(problem);
  int64_t most = frontier.keepEverythingBytes;
  int64_t least = state + static_cast<int64_t>((most - state) * share);
  double gap = 0;
  bool reaches = false;
  for (const FrontierPoint &point : frontier.points) {
    reaches |= point.peakBytes <= least;
    if (point.budgetBytes < least)
      continue;
    RecomputeSolution solution;
    solution.schedule = point.schedule;
    solution.seconds = point.seconds;
    solution.peakBytes = point.peakBytes;
    EXPECT_EQ(solution.verify(problem).value_or(""), "");
    gap = std::max(gap, 100 * (point.seconds / point.lowerBoundSeconds - 1));
  }
  EXPECT_TRUE(reaches);
  RecomputeSolution solution = solveRecompute(problem, least);
  EXPECT_TRUE(solution.feasible);
  EXPECT_EQ(solution.verify(problem).value_or(""), "");
  return std::max(gap, 100 * (solution.seconds / solution.bound.seconds - 1));
}

TEST(Recompute, StepsOfTransformersAreNearTheBound) {
  EXPECT_LT(getLargestGap(getGpt2(), 0.13), 0.5);
  EXPECT_LT(getLargestGap(onCpu(getGpt2()), 0.13), 0.5);
  StepShape whole = getGpt2();
  whole.headChunks = 0;
  EXPECT_LT(getLargestGap(whole, 0.7), 0.5);
  EXPECT_LT(getLargestGap(getLlama(), 0.10), 0.5);
}

TEST(Recompute, DeepStepsAreNearTheBound) {
  EXPECT_LT(getLargestGap(getGpt3(), 0.05), 0.5);
}

TEST(Recompute, SmallestPeakIsNearTheFloor) {
  for (const StepShape &shape : {getGpt2(), getLlama(), getGpt3()}) {
    RecomputeProblem problem = makeTrainingStep(shape);
    int64_t state = problem.values[0].bytes;
    RecomputeFrontier frontier = computeFrontier(problem, {}, 3);
    EXPECT_LT(frontier.points.front().peakBytes - state,
              1.3 * (frontier.floorBytes - state));
  }
}

TEST(Recompute, FindsTheTurnItself) {
  // As a program of which nothing is said to be fixed.
  RecomputeProblem problem = makeTrainingStep(getGpt2());
  problem.firstFixed = problem.ops.size();
  checkAllBudgets(problem, {});
  int64_t state = problem.values[0].bytes;
  RecomputeFrontier frontier = computeFrontier(problem, {}, 5);
  EXPECT_LT(frontier.points.front().peakBytes - state,
            0.13 * (frontier.keepEverythingBytes - state));
}

TEST(Recompute, SaysWhyABudgetIsTooSmall) {
  RecomputeProblem problem = makeTrainingStep(getGpt2());
  RecomputeSolution solution = solveRecompute(problem, 0);
  EXPECT_FALSE(solution.feasible);
  EXPECT_EQ(solution.bound.seconds, std::numeric_limits<double>::infinity());
  EXPECT_GE(solution.bound.certificate.op, 0);
  EXPECT_GT(solution.bound.certificate.heldBytes, 0);
  EXPECT_EQ(solution.verify(problem).value_or(""), "");
  EXPECT_GE(solution.peakBytes, solution.bound.floorBytes);
}

TEST(Recompute, TakesDegeneratePrograms) {
  RecomputeProblem problem;
  RecomputeSolution solution = solveRecompute(problem, 0);
  EXPECT_TRUE(solution.feasible);
  EXPECT_TRUE(solution.schedule.empty());
  EXPECT_EQ(solution.verify(problem).value_or(""), "");
  // A constant that is the result, and an op without operands.
  problem.values.push_back({7, {}});
  problem.results.push_back(0);
  problem.ops.emplace_back();
  problem.firstFixed = 1;
  solution = solveRecompute(problem, 7);
  EXPECT_TRUE(solution.feasible);
  EXPECT_EQ(solution.peakBytes, 7);
  EXPECT_EQ(solution.verify(problem).value_or(""), "");
  EXPECT_FALSE(solveRecompute(problem, 6).feasible);
  EXPECT_FALSE(solveRecompute(problem, -1).feasible);
  // All times and all sizes zero.
  Random random(5);
  for (int i = 0; i < 10; ++i) {
    RecomputeProblem zero = makeRandomChain(random, 6, true);
    for (ProgramOp &op : zero.ops)
      op.seconds = 0;
    checkAllBudgets(zero, quick());
    for (ProgramValue &value : zero.values)
      value.bytes = 0;
    EXPECT_EQ(solveRecompute(zero, 100).verify(zero).value_or(""), "");
  }
}

TEST(Recompute, IsDeterministic) {
  Random random(6);
  for (int i = 0; i < 5; ++i) {
    RecomputeProblem problem = makeRandomChain(random, 8, false);
    int64_t budget =
        computeFrontier(problem, quick(), 5).keepEverythingBytes * 2 / 3;
    RecomputeSolution a = solveRecompute(problem, budget, quick());
    RecomputeSolution b = solveRecompute(problem, budget, quick());
    ASSERT_EQ(a.schedule.size(), b.schedule.size());
    for (size_t k = 0; k < a.schedule.size(); ++k) {
      EXPECT_EQ(a.schedule[k].op, b.schedule[k].op);
      EXPECT_EQ(a.schedule[k].freeAfter, b.schedule[k].freeAfter);
    }
  }
}
