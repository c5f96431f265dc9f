//===- RecomputeNestedTest.cpp - Bounds that count repetitions -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At any prices the bound has to hold for every schedule: sampled ones, those
// of the solver, and the fastest ones that exact search finds.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Solver/RecomputeNested.h"
#include "../../../lib/Solver/RecomputeBound.h"
#include "RandomPrograms.h"
#include "TrainingSteps.h"
#include "nlp/Solver/RecomputeExact.h"
#include "gtest/gtest.h"

using namespace nlp::solver;
using namespace nlp::test;

namespace {
/// A program with its stages, if it is a chain of two or more.
struct Nested {
  explicit Nested(const RecomputeProblem &problem) : program(problem) {
    std::optional<Chain> chain = findChain(program);
    if (chain)
      stages = findNestedStages(*chain, getHeldBytes(program));
    bound.emplace(stages);
  }

  /// Seconds that no schedule with this peak is below.
  double evaluate(int64_t peakBytes, llvm::ArrayRef<double> prices) {
    return program.onceSeconds + bound->evaluate(peakBytes, prices);
  }

  std::vector<double> drawPrices(Random &random) const {
    double scale = std::exp2(draw(random, -6, 2));
    bool isSparse = draw(random, 0, 1);
    std::vector<double> prices(stages.size(), 0);
    for (size_t k = 0; k < stages.size(); ++k)
      if (stages[k].moment >= 0 && (!isSparse || draw(random, 0, 2) == 0))
        prices[k] = scale * draw(random, 0, 16) / 16;
    return prices;
  }

  RecomputeProgram program;
  std::vector<NestedStage> stages;
  std::optional<NestedBound> bound;
};
} // namespace

TEST(RecomputeNested, HoldsForSampledSchedulesAtAnyPrices) {
  Random random(11);
  int chains = 0;
  for (int i = 0; chains < 200 && i < 2000; ++i) {
    RecomputeProblem problem = makeRandomChain(random, draw(random, 2, 12),
                                               draw(random, 0, 1), i % 3 == 0);
    Nested nested(problem);
    if (!nested.bound->isUseful())
      continue;
    ++chains;
    for (int k = 0; k < 50; ++k) {
      RecomputeSolution schedule = makeRandomSchedule(random, problem);
      for (int j = 0; j < 4; ++j)
        ASSERT_LE(
            nested.evaluate(schedule.peakBytes, nested.drawPrices(random)),
            schedule.seconds * (1 + 1e-9))
            << "program " << i << ", schedule " << k;
    }
  }
  EXPECT_EQ(chains, 200);
}

TEST(RecomputeNested, HoldsForThePlansOfThePool) {
  Random random(12);
  for (int i = 0; i < 100; ++i) {
    RecomputeProblem problem = makeRandomChain(random, draw(random, 3, 12),
                                               draw(random, 0, 3) > 0, i % 2);
    Nested nested(problem);
    if (!nested.bound->isUseful())
      continue;
    RecomputeOptions options;
    options.greedyWork = 20'000'000;
    RecomputePool pool(problem, options);
    for (const RecomputePool::Plan &plan : pool.getPlans()) {
      for (int j = 0; j < 20; ++j)
        ASSERT_LE(nested.evaluate(plan.peakBytes, nested.drawPrices(random)),
                  plan.seconds * (1 + 1e-9));
      std::vector<double> best = nested.bound->findPrices(plan.peakBytes, 0);
      if (!best.empty()) {
        ASSERT_LE(nested.evaluate(plan.peakBytes, best),
                  plan.seconds * (1 + 1e-9))
            << "program " << i;
      }
    }
  }
}

TEST(RecomputeNested, HoldsForTheFastestSchedules) {
  Random random(13);
  int proven = 0;
  for (int i = 0; i < 50; ++i) {
    RecomputeProblem problem =
        makeRandomChain(random, draw(random, 2, 5), i % 2, i % 4 == 0);
    Nested nested(problem);
    if (!nested.bound->isUseful())
      continue;
    ExactOptions options;
    options.work = 20'000'000;
    std::optional<RecomputeSolution> smallest =
        minimizeRecomputePeak(problem, options);
    if (!smallest || smallest->schedule.empty())
      continue;
    for (int64_t more : {0, 1, 2, 4, 8}) {
      int64_t budget = smallest->peakBytes + more;
      std::optional<RecomputeSolution> fastest =
          solveRecomputeExactly(problem, budget, options);
      if (!fastest || !fastest->feasible)
        continue;
      ++proven;
      for (int j = 0; j < 20; ++j)
        ASSERT_LE(nested.evaluate(budget, nested.drawPrices(random)),
                  fastest->seconds * (1 + 1e-9));
      std::vector<double> best = nested.bound->findPrices(budget, 0);
      if (!best.empty()) {
        ASSERT_LE(nested.evaluate(budget, best), fastest->seconds * (1 + 1e-9))
            << "program " << i << ", budget " << budget;
      }
    }
  }
  EXPECT_GT(proven, 50);
}

TEST(RecomputeNested, SaysMoreThanOneRepetition) {
  // A step whose 24 boundaries do not fit: with each op run once more at most,
  // a plan would take 25 % more than without recomputation.
  RecomputeProblem problem = makeTrainingStep(getGpt2());
  RecomputeProgram program(problem);
  int64_t state = problem.values[0].bytes;
  std::vector<int32_t> order(program.getNumOps());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  double room = replayOrder(program, order).peakBytes - state;
  RecomputeBound bound =
      boundRecompute(problem, state + static_cast<int64_t>(room * 0.06));
  EXPECT_GT(bound.seconds, 1.3 * program.onceSeconds);
}
