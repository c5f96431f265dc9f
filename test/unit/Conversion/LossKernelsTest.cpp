//===- LossKernelsTest.cpp - Cross-entropy against plain loops --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::test;

static void checkCrossEntropy(int64_t rows, int64_t width, float spread) {
  std::vector<float> logits = randomFloats(rows * width, -spread, spread);
  std::vector<int32_t> targets(rows);
  for (int64_t r = 0; r < rows; ++r)
    targets[r] = r % 5 == 4 ? -1 : static_cast<int32_t>((r * 37) % width);
  const double normalizer = 3.5, lossGrad = 0.75;
  std::vector<double> lse(rows), grad(rows * width);
  double loss = 0.0;
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (int64_t j = 0; j < width; ++j)
      sum += std::exp(double(logits[r * width + j]));
    lse[r] = std::log(sum);
    if (targets[r] < 0)
      continue;
    loss += (lse[r] - logits[r * width + targets[r]]) / normalizer;
    for (int64_t j = 0; j < width; ++j)
      grad[r * width + j] =
          (std::exp(logits[r * width + j] - lse[r]) - (j == targets[r])) *
          lossGrad / normalizer;
  }
  std::string all = std::to_string(rows) + "x" + std::to_string(width) + "xf32";
  std::string column = std::to_string(rows) + "x";
  Launch forward;
  forward.kernel = "cross_entropy";
  forward.ins = {Tensor(all, logits), Tensor(column + "i32", targets)};
  forward.outTypes = {"f32", column + "f32"};
  forward.params = "normalizer = 3.5";
  auto outs = run(forward);
  EXPECT_NEAR(outs[0].get<float>()[0], loss, 1e-6 * std::abs(loss));
  EXPECT_LT(relativeError(outs[1].get<float>(), lse), 1e-6);

  Launch backward;
  backward.kernel = "cross_entropy_grad";
  backward.ins = {Tensor("f32", std::vector<float>{float(lossGrad)}),
                  forward.ins[0], forward.ins[1], outs[1]};
  backward.outTypes = {all};
  backward.params = "normalizer = 3.5";
  auto grads = run(backward);
  EXPECT_LT(relativeError(grads[0].get<float>(), grad), 5e-6);
  backward.shared = {{0, 1}};
  EXPECT_TRUE(run(backward)[0].bytes == grads[0].bytes) << "in place";
}

TEST(LossKernels, CrossEntropy) {
  checkCrossEntropy(1, 1, 1.0f);
  checkCrossEntropy(7, 50, 3.0f);
  checkCrossEntropy(11, 2048, 3.0f);
  checkCrossEntropy(9, 5001, 20.0f);
}

TEST(LossKernels, LargeLogits) {
  Launch forward;
  forward.kernel = "cross_entropy";
  forward.ins = {Tensor("2x4xf32", std::vector<float>{1e4f, 0, -1e4f, 5, -1e30f,
                                                      -1e30f, -1e30f, 7}),
                 Tensor("2xi32", std::vector<int32_t>{0, 3})};
  forward.outTypes = {"f32", "2xf32"};
  forward.params = "normalizer = 2.0";
  auto outs = run(forward);
  EXPECT_EQ(outs[0].get<float>()[0], 0.0f);
  EXPECT_EQ(outs[1].get<float>()[0], 1e4f);
  EXPECT_EQ(outs[1].get<float>()[1], 7.0f);
}

TEST(LossKernels, NaNIsNotLost) {
  Launch forward;
  forward.kernel = "cross_entropy";
  std::vector<float> logits = randomFloats(3000);
  logits[1234] = NAN;
  forward.ins = {Tensor("1x3000xf32", logits),
                 Tensor("1xi32", std::vector<int32_t>{0})};
  forward.outTypes = {"f32", "1xf32"};
  forward.params = "normalizer = 1.0";
  EXPECT_TRUE(std::isnan(run(forward)[0].get<float>()[0]));
}

TEST(LossKernels, SameBitsOnOtherMachines) {
  Launch forward;
  forward.kernel = "cross_entropy";
  forward.ins = {Tensor("3x5000xf32", randomFloats(15000, -9, 9)),
                 Tensor("3xi32", std::vector<int32_t>{1, 2, 4999})};
  forward.outTypes = {"f32", "3xf32"};
  forward.params = "normalizer = 3.0";
  auto host = run(forward), other = run(forward, "x86-64-v3");
  EXPECT_TRUE(host[0].bytes == other[0].bytes);
  EXPECT_TRUE(host[1].bytes == other[1].bytes);
}
