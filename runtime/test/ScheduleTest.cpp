//===- ScheduleTest.cpp - Learning rates at known steps -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Schedule.h"
#include "core/LossCurve.h"
#include <gtest/gtest.h>

using namespace nlprt;

TEST(Schedule, WarmUpRisesInEqualParts) {
  for (auto kind : {ScheduleKind::Cosine, ScheduleKind::Linear,
                    ScheduleKind::Constant, ScheduleKind::WarmupStableDecay}) {
    ScheduleOptions options{kind, 8.0, 4};
    EXPECT_DOUBLE_EQ(learningRate(options, 1, 100), 2.0);
    EXPECT_DOUBLE_EQ(learningRate(options, 3, 100), 6.0);
    EXPECT_DOUBLE_EQ(learningRate(options, 4, 100), 8.0);
    EXPECT_DOUBLE_EQ(learningRate(options, 5, 100), 8.0);
  }
}

TEST(Schedule, Decay) {
  // 100 steps, no warm-up: p = (step - 1) / 100.
  ScheduleOptions options{ScheduleKind::Cosine, 1.0, 0};
  EXPECT_DOUBLE_EQ(learningRate(options, 1, 100), 1.0);
  EXPECT_DOUBLE_EQ(learningRate(options, 51, 100), 0.55);
  EXPECT_NEAR(learningRate(options, 100, 100), 0.1, 1e-3);
  EXPECT_DOUBLE_EQ(learningRate(options, 200, 100), 0.1);
  options.kind = ScheduleKind::Linear;
  EXPECT_DOUBLE_EQ(learningRate(options, 76, 100), 0.25);
  EXPECT_DOUBLE_EQ(learningRate(options, 101, 100), 0.0);
  options.kind = ScheduleKind::WarmupStableDecay;
  EXPECT_DOUBLE_EQ(learningRate(options, 80, 100), 1.0);
  EXPECT_DOUBLE_EQ(learningRate(options, 91, 100), 0.5);
}

TEST(Schedule, WarmUpLongerThanTheRun) {
  ScheduleOptions options{ScheduleKind::Cosine, 1.0, 10};
  EXPECT_DOUBLE_EQ(learningRate(options, 5, 5), 0.5);
}

TEST(LossCurve, FewAndManySteps) {
  EXPECT_EQ(LossCurve(1, 10).draw(), "");
  LossCurve few(1, 2);
  few.add(1, 3.0);
  EXPECT_EQ(few.draw(), "");
  few.add(2, 1.0);
  EXPECT_EQ(few.draw(), ""); // less than ten steps show no curve
  LossCurve some(1, 12);
  for (int64_t step = 1; step <= 12; ++step)
    some.add(step, 13.0 - static_cast<double>(step));
  EXPECT_NE(some.draw().find("12 step"), std::string::npos);
  LossCurve flat(1, 100000);
  for (int64_t step = 1; step <= 100000; ++step)
    flat.add(step, 2.0);
  EXPECT_NE(flat.draw().find("100000 step"), std::string::npos);
}
