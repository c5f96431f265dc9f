//===- ShapeTest.cpp - Shape ops by hand ------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluated.h"
#include <gtest/gtest.h>

using namespace nlp::ref;

static const std::vector<double> six = {1, 2, 3, 4, 5, 6};

/// Expects `op` of %x = [[1, 2, 3], [4, 5, 6]] to be `results`.
static void expectOf2x3(const std::string &op, std::vector<double> results) {
  Evaluated e({{"x", six}},
              "%x = nlp.read @x : tensor<2x3xf32>\n%y = nlp." + op);
  e.expect("nlp." + op.substr(0, op.find(' ')), results);
}

TEST(ReferenceShape, OneInput) {
  expectOf2x3("reshape %x : tensor<2x3xf32> -> tensor<3x2xf32>", six);
  expectOf2x3("transpose %x [1, 0] : tensor<2x3xf32>", {1, 4, 2, 5, 3, 6});
  expectOf2x3("slice %x dim 1 from 1 size 2 : tensor<2x3xf32>", {2, 3, 5, 6});
  expectOf2x3("slice %x dim 0 from 1 size 1 : tensor<2x3xf32>", {4, 5, 6});
  expectOf2x3("pad %x dim 1 by 1, 0 : tensor<2x3xf32>",
              {0, 1, 2, 3, 0, 4, 5, 6});
  expectOf2x3("pad %x dim 0 by 0, 1 : tensor<2x3xf32>",
              {1, 2, 3, 4, 5, 6, 0, 0, 0});
  expectOf2x3("broadcast %x : tensor<2x3xf32> -> tensor<2x2x3xf32>",
              {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6});
  expectOf2x3("reduce_sum %x leading 1 : tensor<2x3xf32>", {5, 7, 9});
  expectOf2x3("reduce_sum %x leading 2 : tensor<2x3xf32>", {21});
  expectOf2x3("fill 2.5 : tensor<2xf32>", {2.5, 2.5});
}

TEST(ReferenceShape, TransposeOfThree) {
  // [1, 2, 3] to [3, 1, 2]: result[k, i, j] = input[i, j, k].
  Evaluated e({{"x", six}}, R"(
    %x = nlp.read @x : tensor<1x2x3xf32>
    %y = nlp.transpose %x [2, 0, 1] : tensor<1x2x3xf32>)");
  e.expect("nlp.transpose", {1, 4, 2, 5, 3, 6});
  EXPECT_EQ(e.get("nlp.transpose").shape,
            (llvm::SmallVector<int64_t>{3, 1, 2}));
}

TEST(ReferenceShape, SplitAndConcat) {
  Evaluated e({{"x", six}}, R"(
    %x = nlp.read @x : tensor<2x3xf32>
    %a, %b = nlp.split %x dim 1 [1, 2] : tensor<2x3xf32>
    %c = nlp.concat %b, %a dim 1 : tensor<2x2xf32>, tensor<2x1xf32>)");
  e.expect("nlp.split", {1, 4}, 0);
  e.expect("nlp.split", {2, 3, 5, 6}, 1);
  e.expect("nlp.concat", {2, 3, 1, 5, 6, 4});
}

TEST(ReferenceShape, SliceOfIds) {
  Evaluated e({}, R"(
    %ids = nlp.input targets : tensor<2x3xi32>
    %y = nlp.slice %ids dim 1 from 1 size 2 : tensor<2x3xi32>)",
              {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(e.get("nlp.slice").integers, (std::vector<int64_t>{2, 3, 5, 6}));
}
