//===- LossTest.cpp - Losses by hand ----------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluated.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::ref;

// Logits 0 and log 3 have probabilities 1/4 and 3/4.
static const std::vector<double> logits = {
    0, std::log(3.0), 0, std::log(3.0), 1000, 1000};

TEST(ReferenceLoss, CrossEntropy) {
  // Target 0 of the first row: log 4. The second row is ignored. The third, of
  // two large equal logits: log 2.
  Evaluated e({{"x", logits}}, R"(
    %x = nlp.read @x : tensor<1x3x2xf32>
    %t = nlp.input targets : tensor<1x3xi32>
    %l, %lse = nlp.cross_entropy %x, %t normalizer 2.0
        : tensor<1x3x2xf32>, tensor<1x3xi32>)",
              {0, -1, 1});
  e.expect("nlp.cross_entropy", {(std::log(4.0) + std::log(2.0)) / 2});
  e.expect("nlp.cross_entropy",
           {std::log(4.0), std::log(4.0), 1000 + std::log(2.0)}, 1);
}

TEST(ReferenceLoss, CrossEntropyGradient) {
  Evaluated e({{"x", logits},
               {"lse", {std::log(4.0), std::log(4.0), 1000 + std::log(2.0)}},
               {"g", {6}}},
              R"(
    %g = nlp.read @g : tensor<f32>
    %x = nlp.read @x : tensor<1x3x2xf32>
    %t = nlp.input targets : tensor<1x3xi32>
    %lse = nlp.read @lse : tensor<1x3xf32>
    %d = nlp.cross_entropy_grad %g, %x, %t, %lse normalizer 2.0
        : tensor<1x3x2xf32>, tensor<1x3xi32>, tensor<1x3xf32>)",
              {0, -1, 1});
  // Times 6 / 2.
  e.expect("nlp.cross_entropy_grad", {-2.25, 2.25, 0, 0, 1.5, -1.5});
}

TEST(ReferenceLoss, TargetOutside) {
  Evaluated e({{"x", logits}}, R"(
    %x = nlp.read @x : tensor<1x3x2xf32>
    %t = nlp.input targets : tensor<1x3xi32>
    %l, %lse = nlp.cross_entropy %x, %t normalizer 2.0
        : tensor<1x3x2xf32>, tensor<1x3xi32>)",
              {0, 2, 1});
  EXPECT_FALSE(e.isGood());
}
