//===- AttentionTest.cpp - Attention by hand --------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys of one feature and queries of 1 make scores the keys themselves: scores
// 0 and log 3 give probabilities 1/4 and 3/4.
//
//===----------------------------------------------------------------------===//

#include "Evaluated.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::ref;

static const double log3 = std::log(3.0);

TEST(ReferenceAttention, Bidirectional) {
  // Scale 2 on keys 0 and log(3)/2. lse = log(1 + 3).
  Evaluated e({{"q", {1}}, {"k", {0, log3 / 2}}, {"v", {4, 8}}}, R"(
    %q = nlp.read @q : tensor<1x1x1x1xf32>
    %k = nlp.read @k : tensor<1x2x1x1xf32>
    %v = nlp.read @v : tensor<1x2x1x1xf32>
    %y, %lse = nlp.attention bidirectional %q, %k, %v scale 2.0
        : tensor<1x1x1x1xf32>, tensor<1x2x1x1xf32>)");
  e.expect("nlp.attention", {0.25 * 4 + 0.75 * 8});
  e.expect("nlp.attention", {std::log(4.0)}, 1);
}

TEST(ReferenceAttention, Causal) {
  // The first query sees the first key only.
  Evaluated e({{"q", {1, 1}}, {"k", {0, log3}}, {"v", {4, 8}}}, R"(
    %q = nlp.read @q : tensor<1x2x1x1xf32>
    %k = nlp.read @k : tensor<1x2x1x1xf32>
    %v = nlp.read @v : tensor<1x2x1x1xf32>
    %y, %lse = nlp.attention causal %q, %k, %v scale 1.0
        : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>)");
  e.expect("nlp.attention", {4, 7});
  e.expect("nlp.attention", {0, std::log(4.0)}, 1);
}

TEST(ReferenceAttention, SlidingWindow) {
  // All scores are 0: query t averages the keys t - 1 and t.
  Evaluated e({{"q", {0, 0, 0, 0}}, {"k", {1, 2, 3, 4}}, {"v", {2, 4, 8, 16}}},
              R"(
    %q = nlp.read @q : tensor<1x4x1x1xf32>
    %k = nlp.read @k : tensor<1x4x1x1xf32>
    %v = nlp.read @v : tensor<1x4x1x1xf32>
    %y, %lse = nlp.attention sliding_window %q, %k, %v scale 1.0
        {window = 2 : i64} : tensor<1x4x1x1xf32>, tensor<1x4x1x1xf32>)");
  e.expect("nlp.attention", {2, 3, 6, 12});
}

TEST(ReferenceAttention, GroupedHeads) {
  // One position: the result is the value. Query heads 0 and 1 read key head
  // 0, 2 and 3 read 1. lse = q . k / 2 for each head.
  Evaluated e({{"q", {1, 2, 3, 4}}, {"k", {10, 100}}, {"v", {5, 7}}}, R"(
    %q = nlp.read @q : tensor<1x1x4x1xf32>
    %k = nlp.read @k : tensor<1x1x2x1xf32>
    %v = nlp.read @v : tensor<1x1x2x1xf32>
    %y, %lse = nlp.attention causal %q, %k, %v scale 0.5
        : tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>)");
  e.expect("nlp.attention", {5, 5, 7, 7});
  e.expect("nlp.attention", {5, 10, 150, 200}, 1);
}

TEST(ReferenceAttention, Gradient) {
  // One query, two keys, p = 1/4 and 3/4, v = 4 and 8, result 7, dy = 2:
  // dv = p dy; delta = 14; ds = p (dy v - delta) = [-3/2, 3/2];
  // dq = ds . k = 3/2 log 3; dk = ds q.
  Evaluated e({{"dy", {2}},
               {"q", {1}},
               {"k", {0, log3}},
               {"v", {4, 8}},
               {"y", {7}},
               {"lse", {std::log(4.0)}}},
              R"(
    %dy = nlp.read @dy : tensor<1x1x1x1xf32>
    %q = nlp.read @q : tensor<1x1x1x1xf32>
    %k = nlp.read @k : tensor<1x2x1x1xf32>
    %v = nlp.read @v : tensor<1x2x1x1xf32>
    %y = nlp.read @y : tensor<1x1x1x1xf32>
    %lse = nlp.read @lse : tensor<1x1x1xf32>
    %dq, %dk, %dv = nlp.attention_grad bidirectional %dy, %q, %k, %v, %y, %lse
        scale 1.0
        : tensor<1x1x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x1x1xf32>)");
  e.expect("nlp.attention_grad", {1.5 * log3});
  e.expect("nlp.attention_grad", {-1.5, 1.5}, 1);
  e.expect("nlp.attention_grad", {0.5, 1.5}, 2);
}

TEST(ReferenceAttention, DropoutFollowsTheSequence) {
  // Dropping does not change the log-sum-exp; the second sequence of a batch
  // draws as the first of a batch that starts there.
  auto text = [](int batch) {
    std::string b = std::to_string(batch);
    return "%q = nlp.read @q : tensor<" + b + "x8x1x1xf32>\n" +
           "%s = nlp.runtime_scalar step_seed : tensor<i64>\n" + R"(
    %y, %lse = nlp.attention bidirectional %q, %q, %q seed %s, %s scale 1.0
        {dropout = 0.5, site = "a"})" +
           " : tensor<" + b + "x8x1x1xf32>, tensor<" + b + "x8x1x1xf32>";
  };
  std::vector<double> one = {1, 2, 3, 4, 5, 6, 7, 8}, two = one;
  two.insert(two.end(), one.begin(), one.end());
  // Seed and first sequence are the same scalar: 1 in both runs.
  Evaluated both({{"q", two}}, text(2), {}, 1);
  Evaluated first({{"q", one}}, text(1), {}, 1);
  auto begin = both.get("nlp.attention").floats.begin();
  EXPECT_EQ(std::vector<double>(begin, begin + 8),
            first.get("nlp.attention").floats);
  EXPECT_NE(std::vector<double>(begin + 8, begin + 16),
            first.get("nlp.attention").floats);
  double lse = 8 + std::log1p(std::exp(-1.0) + std::exp(-2.0) + std::exp(-3.0) +
                              std::exp(-4.0) + std::exp(-5.0) + std::exp(-6.0) +
                              std::exp(-7.0));
  EXPECT_NEAR(first.get("nlp.attention", 1)[0], lse, 1e-12);
}

TEST(ReferenceRope, QuarterTurns) {
  // Position p turns the pair (1, 2) by p quarters; (5, 6) stays.
  // Features i and i + d/2 make a pair.
  std::vector<double> x;
  for (int position = 0; position < 4; ++position)
    x.insert(x.end(), {1, 5, 2, 6});
  Evaluated e({{"x", x}}, R"(
    %x = nlp.read @x : tensor<1x4x1x4xf32>
    %y = nlp.rope %x frequencies [1.5707963267948966, 0.0]
        : tensor<1x4x1x4xf32>)");
  e.expect("nlp.rope", {1, 5, 2, 6, -2, 5, 1, 6, -1, 5, -2, 6, 2, 5, -1, 6});
}

TEST(ReferenceRope, InverseTurnsBack) {
  std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Evaluated e({{"x", x}}, R"(
    %x = nlp.read @x : tensor<1x3x2x2xf32>
    %y = nlp.rope %x frequencies [0.7] : tensor<1x3x2x2xf32>
    %z = nlp.rope %y frequencies [0.7] {inverse = true} : tensor<1x3x2x2xf32>
    %e = nlp.neg %z : tensor<1x3x2x2xf32>)");
  for (double &element : x)
    element = -element;
  e.expect("nlp.neg", x);
}
