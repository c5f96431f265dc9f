//===- PointwiseKernelsTest.cpp - Scalar definitions on arrays --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::test;

/// z = x * y + c with x of `count` elements, y repeated, c a scalar.
static void checkRepeated(int64_t count, int64_t repeated) {
  std::vector<float> x = randomFloats(count),
                     y = randomFloats(repeated, 0, 1, 2);
  std::string type = std::to_string(count) + "xf32";
  Launch launch;
  launch.kernel = "pointwise";
  launch.ins = {Tensor(type, x), Tensor(std::to_string(repeated) + "xf32", y),
                Tensor("f32", std::vector<float>{0.25f})};
  launch.outTypes = {type, type};
  launch.body = "%a = arith.mulf %0, %1 : f32\n"
                "%b = arith.addf %a, %2 : f32\n"
                "nlprt.yield %b, %0 : f32, f32";
  auto outs = run(launch);
  std::vector<float> z = outs[0].get<float>();
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(z[i], x[i] * y[i % repeated] + 0.25f) << i;
  EXPECT_EQ(outs[1].get<float>(), x);
}

TEST(PointwiseKernels, Repeated) {
  for (auto [count, repeated] : {std::pair<int64_t, int64_t>{1, 1},
                                 {15, 15},
                                 {16, 4},
                                 {40000, 40000},
                                 {32768, 1},
                                 {12 * 770, 770},
                                 {3 * 16384, 16384},
                                 {2 * 40001, 40001},
                                 {4 * 32768, 32768}})
    checkRepeated(count, repeated);
}

TEST(PointwiseKernels, InPlace) {
  std::vector<float> x = randomFloats(1000);
  Launch launch;
  launch.kernel = "pointwise";
  launch.ins = {Tensor("1000xf32", x)};
  launch.outTypes = {"1000xf32"};
  launch.body = "%a = arith.addf %0, %0 : f32\n nlprt.yield %a : f32";
  launch.shared = {{0, 0}};
  std::vector<float> y = run(launch)[0].get<float>();
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i], 2 * x[i]);
}

TEST(PointwiseKernels, SixteenBitStorage) {
  std::vector<float> wide = randomFloats(100);
  wide[1] = INFINITY;
  wide[2] = NAN;
  wide[3] = 1e-40f;  // subnormal
  wide[4] = 3.4e38f; // rounds to infinity
  std::vector<uint16_t> x;
  for (float value : wide)
    x.push_back(toBF16(value));
  Launch launch;
  launch.kernel = "pointwise";
  launch.ins = {Tensor("100xbf16", x), Tensor("100xf32", wide)};
  launch.outTypes = {"100xbf16", "100xf32"};
  launch.body = "%a = arith.extf %0 : bf16 to f32\n"
                "%b = arith.addf %a, %1 : f32\n"
                "%c = arith.truncf %b : f32 to bf16\n"
                "%d = arith.truncf %1 : f32 to bf16\n"
                "%e = arith.extf %d : bf16 to f32\n"
                "nlprt.yield %c, %e : bf16, f32";
  auto outs = run(launch);
  std::vector<uint16_t> sum = outs[0].get<uint16_t>();
  std::vector<float> rounded = outs[1].get<float>();
  for (size_t i = 0; i < wide.size(); ++i) {
    EXPECT_EQ(sum[i], toBF16(fromBF16(x[i]) + wide[i])) << wide[i];
    if (wide[i] == wide[i])
      EXPECT_EQ(rounded[i], fromBF16(toBF16(wide[i]))) << wide[i];
    else
      EXPECT_TRUE(std::isnan(rounded[i]));
  }
}

TEST(PointwiseKernels, Gelu) {
  std::vector<float> x = randomFloats(5000, -8.0f, 8.0f);
  Launch launch;
  launch.kernel = "pointwise";
  launch.ins = {Tensor("5000xf32", x)};
  launch.outTypes = {"5000xf32"};
  launch.body = "%h = arith.constant 0.5 : f32\n"
                "%one = arith.constant 1.0 : f32\n"
                "%s = arith.constant 0.70710678118654752 : f32\n"
                "%a = arith.mulf %0, %s : f32\n"
                "%b = math.erf %a : f32\n"
                "%c = arith.addf %b, %one : f32\n"
                "%d = arith.mulf %0, %h : f32\n"
                "%e = arith.mulf %c, %d : f32\n"
                "nlprt.yield %e : f32";
  std::vector<float> y = run(launch)[0].get<float>();
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], 0.5 * x[i] * (1 + std::erf(x[i] * M_SQRT1_2)), 1e-6);
}

TEST(PointwiseKernels, Select) {
  std::vector<float> x = randomFloats(77);
  Launch launch;
  launch.kernel = "pointwise";
  launch.ins = {Tensor("77xf32", x)};
  launch.outTypes = {"77xf32"};
  launch.body = "%zero = arith.constant 0.0 : f32\n"
                "%a = arith.cmpf ogt, %0, %zero : f32\n"
                "%b = arith.select %a, %0, %zero : f32\n"
                "%c = arith.maximumf %b, %zero : f32\n"
                "nlprt.yield %c : f32";
  std::vector<float> y = run(launch)[0].get<float>();
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(y[i], std::max(x[i], 0.0f));
}

/// Functions without a vector version here call the C library.
TEST(PointwiseKernels, OtherFunctions) {
  std::vector<float> x = randomFloats(50, 0.1f, 3.0f);
  Launch launch;
  launch.kernel = "pointwise";
  launch.ins = {Tensor("50xf32", x)};
  launch.outTypes = {"50xf32", "50xf64"};
  launch.body = "%a = math.powf %0, %0 : f32\n"
                "%b = math.floor %a : f32\n"
                "%c = arith.extf %0 : f32 to f64\n"
                "%d = math.exp %c : f64\n"
                "nlprt.yield %b, %d : f32, f64";
  auto outs = run(launch);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(outs[0].get<float>()[i], std::floor(std::pow(x[i], x[i])));
    EXPECT_NEAR(outs[1].get<double>()[i], std::exp(double(x[i])), 1e-14 * 21);
  }
}
