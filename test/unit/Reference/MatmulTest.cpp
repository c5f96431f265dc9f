//===- MatmulTest.cpp - Matrix products and embeddings by hand --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluated.h"
#include <gtest/gtest.h>

using namespace nlp::ref;

TEST(ReferenceMatmul, LinearInOut) {
  // [1, 2] W with W(k, n) = [[1, 2, 3], [4, 5, 6]], and a bias.
  Evaluated e({{"x", {1, 2}}, {"w", {1, 2, 3, 4, 5, 6}}, {"b", {10, 20, 30}}},
              R"(
    %x = nlp.read @x : tensor<1x2xf32>
    %w = nlp.read @w : tensor<2x3xf32>
    %b = nlp.read @b : tensor<3xf32>
    %y = nlp.linear %x, %w bias %b layout in_out
        : tensor<1x2xf32>, tensor<2x3xf32>, tensor<3xf32>)");
  e.expect("nlp.linear", {1 + 8 + 10, 2 + 10 + 20, 3 + 12 + 30});
}

TEST(ReferenceMatmul, LinearOutIn) {
  // Two rows; W is stored as [n, k] = [[1, 2], [3, 4], [5, 6]].
  Evaluated e({{"x", {1, 2, -1, 0}}, {"w", {1, 2, 3, 4, 5, 6}}}, R"(
    %x = nlp.read @x : tensor<2x2xf32>
    %w = nlp.read @w : tensor<3x2xf32>
    %y = nlp.linear %x, %w layout out_in : tensor<2x2xf32>, tensor<3x2xf32>)");
  e.expect("nlp.linear", {5, 11, 17, -1, -3, -5});
}

TEST(ReferenceMatmul, WeightGradient) {
  // x = [[1, 2], [3, 4]], g = [[1, 0, 2], [0, 1, 1]]; x^T g, then g^T x.
  Evaluated in({{"x", {1, 2, 3, 4}}, {"g", {1, 0, 2, 0, 1, 1}}}, R"(
    %x = nlp.read @x : tensor<2x2xf32>
    %g = nlp.read @g : tensor<2x3xf32>
    %y = nlp.linear_weight_grad %x, %g layout in_out
        : tensor<2x2xf32>, tensor<2x3xf32>)");
  in.expect("nlp.linear_weight_grad", {1, 3, 5, 2, 4, 8});
  Evaluated out({{"x", {1, 2, 3, 4}}, {"g", {1, 0, 2, 0, 1, 1}}}, R"(
    %x = nlp.read @x : tensor<2x2xf32>
    %g = nlp.read @g : tensor<2x3xf32>
    %y = nlp.linear_weight_grad %x, %g layout out_in
        : tensor<2x2xf32>, tensor<2x3xf32>)");
  out.expect("nlp.linear_weight_grad", {1, 2, 3, 4, 5, 8});
}

TEST(ReferenceMatmul, Embedding) {
  Evaluated e({{"t", {0, 1, 10, 11, 20, 21}}}, R"(
    %t = nlp.read @t : tensor<3x2xf32>
    %i = nlp.input tokens : tensor<1x3xi32>
    %y = nlp.embedding %t, %i : tensor<3x2xf32>, tensor<1x3xi32>)",
              {2, 0, 2});
  e.expect("nlp.embedding", {20, 21, 0, 1, 20, 21});
}

TEST(ReferenceMatmul, EmbeddingGradientAddsUp) {
  Evaluated e({{"g", {1, 2, 3, 4, 5, 6}}}, R"(
    %g = nlp.read @g : tensor<1x3x2xf32>
    %i = nlp.input tokens : tensor<1x3xi32>
    %y = nlp.embedding_grad %g, %i rows 4
        : tensor<1x3x2xf32>, tensor<1x3xi32>)",
              {2, 0, 2});
  e.expect("nlp.embedding_grad", {3, 4, 0, 0, 6, 8, 0, 0});
}

TEST(ReferenceMatmul, IdOutsideOfTable) {
  Evaluated e({{"t", {0, 1, 10, 11}}}, R"(
    %t = nlp.read @t : tensor<2x2xf32>
    %i = nlp.input tokens : tensor<1x1xi32>
    %y = nlp.embedding %t, %i : tensor<2x2xf32>, tensor<1x1xi32>)",
              {2});
  EXPECT_FALSE(e.isGood());
}
