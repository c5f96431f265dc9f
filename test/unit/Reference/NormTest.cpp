//===- NormTest.cpp - Normalizations by hand --------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluated.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::ref;

TEST(ReferenceNorm, LayerNorm) {
  // Rows [1, 5] and [-3, 3]: means 3 and 0, variances 4 and 9; with epsilon 12
  // rstd is 1/4 and 1/sqrt(21).
  double r = 1 / std::sqrt(21.0);
  Evaluated e({{"x", {1, 5, -3, 3}}, {"w", {2, 4}}, {"b", {1, -1}}}, R"(
    %x = nlp.read @x : tensor<2x2xf32>
    %w = nlp.read @w : tensor<2xf32>
    %b = nlp.read @b : tensor<2xf32>
    %y, %m, %r = nlp.layer_norm %x, %w, %b eps 12.0
        : tensor<2x2xf32>, tensor<2xf32>)");
  e.expect("nlp.layer_norm",
           {-0.5 * 2 + 1, 0.5 * 4 - 1, -3 * r * 2 + 1, 3 * r * 4 - 1});
  e.expect("nlp.layer_norm", {3, 0}, 1);
  e.expect("nlp.layer_norm", {0.25, r}, 2);
}

TEST(ReferenceNorm, RMSNorm) {
  // [3, 4, 0]: mean square 25/3; with epsilon 2/3 it is 9.
  Evaluated e({{"x", {3, 4, 0}}, {"w", {1, 2, 5}}}, R"(
    %x = nlp.read @x : tensor<1x3xf32>
    %w = nlp.read @w : tensor<3xf32>
    %y, %r = nlp.rms_norm %x, %w eps 0.66666666666666667
        : tensor<1x3xf32>, tensor<3xf32>)");
  e.expect("nlp.rms_norm", {1, 8.0 / 3, 0});
  e.expect("nlp.rms_norm", {1.0 / 3}, 1);
}

TEST(ReferenceNorm, LayerNormGradient) {
  // [1, 5] with mean 3 and rstd 1/2: n = [-1, 1]; g = dy w = [2, 12]: avg(g) =
  // 7, avg(g n) = 5; dx = 1/2 (g - 7 - 5 n) = 0, as two elements have it.
  Evaluated e(
      {{"dy", {1, 3}}, {"x", {1, 5}}, {"w", {2, 4}}, {"m", {3}}, {"r", {0.5}}},
      R"(
    %dy = nlp.read @dy : tensor<1x2xf32>
    %x = nlp.read @x : tensor<1x2xf32>
    %w = nlp.read @w : tensor<2xf32>
    %m = nlp.read @m : tensor<1xf32>
    %r = nlp.read @r : tensor<1xf32>
    %dx, %dw, %db = nlp.layer_norm_grad %dy, %x, %w, %m, %r
        : tensor<1x2xf32>, tensor<2xf32>, tensor<1xf32>)");
  e.expect("nlp.layer_norm_grad", {0, 0});
  e.expect("nlp.layer_norm_grad", {-1, 3}, 1);
  e.expect("nlp.layer_norm_grad", {1, 3}, 2);
}

TEST(ReferenceNorm, RMSNormGradient) {
  // n = [1, 2]; g = [3, 1]: avg(g n) = 5/2; dx = 1/2 (g - 5/2 n).
  Evaluated e({{"dy", {1, 1}}, {"x", {2, 4}}, {"w", {3, 1}}, {"r", {0.5}}}, R"(
    %dy = nlp.read @dy : tensor<1x2xf32>
    %x = nlp.read @x : tensor<1x2xf32>
    %w = nlp.read @w : tensor<2xf32>
    %r = nlp.read @r : tensor<1xf32>
    %dx, %dw = nlp.rms_norm_grad %dy, %x, %w, %r
        : tensor<1x2xf32>, tensor<2xf32>, tensor<1xf32>)");
  e.expect("nlp.rms_norm_grad", {0.25, -2});
  e.expect("nlp.rms_norm_grad", {1, 2}, 1);
}
