//===- KernelMathTest.cpp - Accuracy of elementary functions ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

using namespace nlp::test;

static const float kInfinity = std::numeric_limits<float>::infinity();

static std::vector<float> applyOp(const std::string &op,
                                  std::vector<float> values) {
  std::string type = std::to_string(values.size()) + "xf32";
  Launch launch;
  launch.kernel = op;
  launch.ins = {Tensor(type, values)};
  launch.outTypes = {type};
  launch.body = "%y = " + op + " %0 : f32\n nlprt.yield %y : f32";
  return run(launch)[0].get<float>();
}

/// Numbers of all magnitudes in [low, high], both signs where low < 0.
static std::vector<float> spread(float low, float high) {
  std::vector<float> values = randomFloats(20000, low, high);
  for (float scale = 1e-30f; scale < 1e30f; scale *= 1.37f)
    for (float sign : {1.0f, -1.0f})
      if (float x = sign * scale; x >= low && x <= high)
        values.push_back(x);
  values.push_back(low);
  values.push_back(high);
  return values;
}

static void checkRelative(const std::string &op, float low, float high,
                          const std::function<double(double)> &reference,
                          double bound) {
  std::vector<float> in = spread(low, high), out = applyOp(op, in);
  double worst = 0.0, where = 0.0;
  for (size_t i = 0; i < in.size(); ++i) {
    double exact = reference(in[i]);
    double error = std::abs(out[i] - exact) / std::max(std::abs(exact), 1e-37);
    if (!(error <= worst)) {
      worst = error;
      where = in[i];
    }
  }
  EXPECT_LE(worst, bound) << op << " at " << where;
  std::printf("%-12s [%g, %g]: %.2g at %g\n", op.c_str(), low, high, worst,
              where);
}

TEST(KernelMath, Relative) {
  auto wrap = [](double (*f)(double)) { return f; };
  checkRelative("math.exp", -87.3f, 88.7f, wrap(std::exp), 2e-6);
  checkRelative("math.log", 1e-44f, 3e38f, wrap(std::log), 2e-6);
  checkRelative("math.log", 0.5f, 2.0f, wrap(std::log), 2e-6);
  checkRelative("math.tanh", -100.0f, 100.0f, wrap(std::tanh), 2e-6);
  checkRelative("math.tanh", -2.0f, 2.0f, wrap(std::tanh), 2e-6);
  checkRelative("math.erf", -100.0f, 100.0f, wrap(std::erf), 2e-6);
  checkRelative("math.erf", -2.0f, 2.0f, wrap(std::erf), 2e-6);
  checkRelative(
      "math.rsqrt", 1e-30f, 1e30f, [](double x) { return 1.0 / std::sqrt(x); },
      2e-6);
  checkRelative("math.sin", -1e5f, 1e5f, wrap(std::sin), 2e-6);
  checkRelative("math.cos", -1e5f, 1e5f, wrap(std::cos), 2e-6);
}

TEST(KernelMath, Limits) {
  std::vector<float> in = {kInfinity, -kInfinity, 100.0f, -100.0f, 0.0f, NAN};
  std::vector<float> exp = applyOp("math.exp", in);
  EXPECT_EQ(exp[0], kInfinity);
  EXPECT_EQ(exp[1], 0.0f);
  EXPECT_EQ(exp[2], kInfinity);
  EXPECT_EQ(exp[3], 0.0f);
  EXPECT_EQ(exp[4], 1.0f);
  EXPECT_TRUE(std::isnan(exp[5]));
  std::vector<float> log = applyOp("math.log", in);
  EXPECT_EQ(log[0], kInfinity);
  EXPECT_TRUE(std::isnan(log[1]));
  EXPECT_TRUE(std::isnan(log[3]));
  EXPECT_EQ(log[4], -kInfinity);
  EXPECT_TRUE(std::isnan(log[5]));
  for (const char *op : {"math.tanh", "math.erf"}) {
    std::vector<float> out = applyOp(op, in);
    EXPECT_NEAR(out[0], 1.0f, 2e-7) << op;
    EXPECT_NEAR(out[1], -1.0f, 2e-7) << op;
    EXPECT_NEAR(out[2], 1.0f, 2e-7) << op;
    EXPECT_NEAR(out[3], -1.0f, 2e-7) << op;
    EXPECT_EQ(out[4], 0.0f) << op;
    EXPECT_TRUE(std::isnan(out[5])) << op;
  }
}
