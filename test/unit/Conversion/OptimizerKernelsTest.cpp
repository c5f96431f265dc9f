//===- OptimizerKernelsTest.cpp - Updates against plain loops ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::test;

static Tensor scalar(double value) {
  return Tensor("f64", std::vector<double>{value});
}

static void checkAdamW(int64_t count, bool hasFactor, bool hasDecay,
                       int64_t step) {
  std::vector<float> p = randomFloats(count, -1, 1, 1),
                     g = randomFloats(count, -1, 1, 2),
                     m = randomFloats(count, -1, 1, 3),
                     v = randomFloats(count, 0, 1, 4);
  const double lr = 1e-2, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8,
               decay = 0.1, factor = 0.5;
  std::vector<double> newP, newM, newV;
  for (int64_t i = 0; i < count; ++i) {
    double grad = hasFactor ? g[i] * factor : g[i];
    newM.push_back(beta1 * m[i] + (1 - beta1) * grad);
    newV.push_back(beta2 * v[i] + (1 - beta2) * grad * grad);
    double mHat = newM[i] / (1 - std::pow(beta1, step)),
           vHat = newV[i] / (1 - std::pow(beta2, step));
    newP.push_back(p[i] - lr * ((hasDecay ? decay : 0) * p[i] +
                                mHat / (std::sqrt(vHat) + epsilon)));
  }
  std::string type = std::to_string(count) + "xf32";
  Launch launch;
  launch.kernel = "adamw";
  launch.ins = {Tensor(type, p), Tensor(type, g), Tensor(type, m),
                Tensor(type, v)};
  if (hasFactor)
    launch.ins.push_back(Tensor("f32", std::vector<float>{float(factor)}));
  for (double value : {lr, beta1, beta2, epsilon})
    launch.ins.push_back(scalar(value));
  if (hasDecay)
    launch.ins.push_back(scalar(decay));
  launch.ins.push_back(Tensor("i64", std::vector<int64_t>{step}));
  launch.outTypes = {type, type, type};
  launch.params = std::string("has_factor = ") + (hasFactor ? "1" : "0") +
                  ", has_decay = " + (hasDecay ? "1" : "0");
  auto outs = run(launch);
  EXPECT_LT(relativeError(outs[0].get<float>(), newP), 1e-6);
  EXPECT_LT(relativeError(outs[1].get<float>(), newM), 1e-6);
  EXPECT_LT(relativeError(outs[2].get<float>(), newV), 1e-6);
  launch.shared = {{0, 0}, {1, 2}, {2, 3}};
  auto inPlace = run(launch);
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_TRUE(inPlace[i].bytes == outs[i].bytes) << "in place";
}

TEST(OptimizerKernels, AdamW) {
  checkAdamW(1, false, false, 1);
  checkAdamW(100, true, false, 2);
  checkAdamW(40000, false, true, 1000);
  checkAdamW(16384, true, true, 100000);
}

TEST(OptimizerKernels, SGD) {
  const int64_t count = 20001;
  std::vector<float> p = randomFloats(count, -1, 1, 1),
                     g = randomFloats(count, -1, 1, 2),
                     u = randomFloats(count, -1, 1, 3);
  std::vector<double> newP, newU;
  for (int64_t i = 0; i < count; ++i) {
    newU.push_back(0.9 * u[i] + 0.5 * g[i]);
    newP.push_back(p[i] - 0.1 * (0.01 * p[i] + newU[i]));
  }
  std::string type = std::to_string(count) + "xf32";
  Launch launch;
  launch.kernel = "sgd";
  launch.ins = {Tensor(type, p), Tensor(type, g),
                Tensor(type, u), Tensor("f32", std::vector<float>{0.5f}),
                scalar(0.1),     scalar(0.9),
                scalar(0.01)};
  launch.outTypes = {type, type};
  launch.params = "has_factor = 1, has_decay = 1";
  auto outs = run(launch);
  EXPECT_LT(relativeError(outs[0].get<float>(), newP), 1e-6);
  EXPECT_LT(relativeError(outs[1].get<float>(), newU), 1e-6);
}

TEST(OptimizerKernels, SquareSumAndClip) {
  const int64_t count = 2 * 16384 + 33;
  std::vector<float> x = randomFloats(count, -2, 2);
  Launch squares;
  squares.kernel = "square_sum";
  squares.ins = {Tensor(std::to_string(count) + "xf32", x)};
  squares.outTypes = {"3xf64"};
  auto sums = run(squares)[0];
  double total = 0.0;
  for (int64_t block = 0; block < 3; ++block) {
    double sum = 0.0;
    for (int64_t i = block * 16384; i < std::min(count, (block + 1) * 16384);
         ++i)
      sum += double(x[i]) * x[i];
    EXPECT_NEAR(sums.get<double>()[block], sum, 1e-12 * sum);
    total += sum;
  }
  total += 1.0 + 4.0;
  for (double limit : {0.0, 1.0, 1e6}) {
    Launch clip;
    clip.kernel = "clip_factor";
    clip.ins = {scalar(limit), sums,
                Tensor("2xf64", std::vector<double>{1.0, 4.0})};
    clip.outTypes = {"f32", "f32"};
    auto outs = run(clip);
    EXPECT_NEAR(outs[1].get<float>()[0], std::sqrt(total), 1e-4);
    double factor = limit <= 0 ? 1 : std::min(1.0, limit / std::sqrt(total));
    EXPECT_NEAR(outs[0].get<float>()[0], factor, 1e-6 * factor) << limit;
  }
}
