//===- OptimizerTest.cpp - Clipping and updates by hand ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluated.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::ref;

TEST(ReferenceOptimizer, SquareSumBlocks) {
  std::vector<double> x(16384 + 2, 1.0);
  x.back() = 3.0;
  Evaluated e({{"x", x}}, R"(
    %x = nlp.read @x : tensor<16386xf32>
    %y = nlp.square_sum %x : tensor<16386xf32>)");
  e.expect("nlp.square_sum", {16384, 10});
}

TEST(ReferenceOptimizer, Clip) {
  // 9 + 16 = 5^2.
  const char *text = R"(
    %m = nlp.read @m : tensor<f64>
    %a = nlp.read @a : tensor<2xf64>
    %b = nlp.read @b : tensor<1xf64>
    %f, %n = nlp.clip_factor %m, %a, %b : tensor<2xf64>, tensor<1xf64>)";
  auto expect = [&](double maxNorm, double factor) {
    Evaluated e({{"m", {maxNorm}}, {"a", {4, 5}}, {"b", {16}}}, text);
    e.expect("nlp.clip_factor", {factor}, 0);
    e.expect("nlp.clip_factor", {5}, 1);
  };
  expect(2, 2 / (5 + 1e-6));
  expect(10, 1);
  expect(0, 1);
}

TEST(ReferenceOptimizer, AdamW) {
  // Step 3, g = 4 * 1/2 = 2, m = 1, v = 2: m' = (1 + 2) / 2, v' = (3 * 2 + 4) /
  // 4; corrections 1 - 1/8 and 1 - 27/64.
  Evaluated e({{"p", {10}},
               {"g", {4}},
               {"m", {1}},
               {"v", {2}},
               {"f", {0.5}},
               {"lr", {0.1}},
               {"b1", {0.5}},
               {"b2", {0.75}},
               {"eps", {0.25}},
               {"d", {0.01}}},
              R"(
    %p = nlp.read @p : tensor<1xf32>
    %g = nlp.read @g : tensor<1xf32>
    %m = nlp.read @m : tensor<1xf32>
    %v = nlp.read @v : tensor<1xf32>
    %f = nlp.read @f : tensor<f32>
    %lr = nlp.read @lr : tensor<f64>
    %b1 = nlp.read @b1 : tensor<f64>
    %b2 = nlp.read @b2 : tensor<f64>
    %eps = nlp.read @eps : tensor<f64>
    %d = nlp.read @d : tensor<f64>
    %t = nlp.runtime_scalar step_number : tensor<i64>
    %np, %nm, %nv = nlp.adamw %p, %g moments %m, %v factor %f
        scalars %lr, %b1, %b2, %eps, %t decay %d
        : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)",
              {}, 3);
  double update = 1.5 / (7.0 / 8) / (std::sqrt(2.5 / (37.0 / 64)) + 0.25);
  e.expect("nlp.adamw", {10 - 0.1 * (0.01 * 10 + update)}, 0);
  e.expect("nlp.adamw", {1.5}, 1);
  e.expect("nlp.adamw", {2.5}, 2);
}

TEST(ReferenceOptimizer, SGD) {
  // u' = 1/2 * 4 + 3 = 5; p' = 2 - 0.1 * 5. No decay, no factor.
  Evaluated e(
      {{"p", {2}}, {"g", {3}}, {"u", {4}}, {"lr", {0.1}}, {"mu", {0.5}}}, R"(
    %p = nlp.read @p : tensor<1xf32>
    %g = nlp.read @g : tensor<1xf32>
    %u = nlp.read @u : tensor<1xf32>
    %lr = nlp.read @lr : tensor<f64>
    %mu = nlp.read @mu : tensor<f64>
    %np, %nu = nlp.sgd %p, %g velocity %u scalars %lr, %mu
        : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)");
  e.expect("nlp.sgd", {1.5}, 0);
  e.expect("nlp.sgd", {5}, 1);
}
