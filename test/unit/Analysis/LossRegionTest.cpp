//===- LossRegionTest.cpp - The ops around the logits ---------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Analysis/LossRegion.h"
#include "../NLP/ParsedOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nlp;

namespace {

/// Sources of a model with 2 x 4 tokens, a hidden state of 6 and a vocabulary
/// of 10.
const std::string sources = R"(
  %x = nlp.fill 0.5 : tensor<2x4x6xf32>
  %w = nlp.fill 0.1 : tensor<10x6xf32>
  %bias = nlp.fill 0.1 : tensor<10xf32>
  %targets = nlp.input targets : tensor<2x4xi32>
  %dloss = nlp.fill 1.0 : tensor<f32>
)";
const std::string head = R"(
  %h = nlp.linear %x, %w layout out_in : tensor<2x4x6xf32>, tensor<10x6xf32>
)";
const std::string loss = R"(
  %loss, %lse = nlp.cross_entropy %h, %targets normalizer 8.0
      : tensor<2x4x10xf32>, tensor<2x4xi32>
)";
const std::string lossGrad = R"(
  %dh = nlp.cross_entropy_grad %dloss, %h, %targets, %lse normalizer 8.0
      : tensor<2x4x10xf32>, tensor<2x4xi32>, tensor<2x4xf32>
)";
const std::string headGrad = R"(
  %dw = nlp.linear_weight_grad %x, %dh layout out_in
      : tensor<2x4x6xf32>, tensor<2x4x10xf32>
  %db = nlp.reduce_sum %dh leading 2 : tensor<2x4x10xf32>
  %dx = nlp.linear %dh, %w layout in_out
      : tensor<2x4x10xf32>, tensor<10x6xf32>
)";

/// The ops with their token factors and the values that enter, with as many
/// `*` as they have token dimensions; or why there is no region.
std::string getRegion(const std::string &text) {
  ParsedOps ops(text);
  EXPECT_TRUE(bool(ops.module)) << text;
  if (!ops.module)
    return "";
  LossRegion region = findLossRegion(*ops.module->getBody());
  if (!region)
    return region.reason;
  std::string result;
  llvm::raw_string_ostream os(result);
  for (const LossRegionOp &member : region.ops) {
    os << member.op->getName().stripDialect() << "(";
    llvm::interleave(member.tokenFactors, os, " ");
    os << ") ";
  }
  os << "<-";
  for (Value input : region.inputs)
    os << " " << cast<RankedTensorType>(input.getType()).getRank()
       << std::string(region.getTokenDims(input), '*');
  return result;
}

TEST(LossRegion, Forward) {
  EXPECT_EQ(getRegion(sources + head + loss),
            "linear(0 1) cross_entropy(0 1) <- 3** 2 2**");
}

TEST(LossRegion, ForwardAndBackward) {
  // Factors of the weight's gradient are reductions, by the same numbers.
  EXPECT_EQ(getRegion(sources + head + loss + lossGrad + headGrad),
            "linear(0 1) cross_entropy(0 1) cross_entropy_grad(0 1) "
            "linear_weight_grad(0 1) reduce_sum(0 1) linear(0 1) "
            "<- 3** 2 2** 0");
}

TEST(LossRegion, ElementwiseOpsOnTheLogitsBelong) {
  EXPECT_EQ(getRegion(sources + R"(
    %l = nlp.linear %x, %w layout out_in : tensor<2x4x6xf32>, tensor<10x6xf32>
    %wide = nlp.broadcast %bias : tensor<10xf32> -> tensor<2x4x10xf32>
    %b = nlp.add %l, %wide : tensor<2x4x10xf32>
    %h = nlp.tanh %b : tensor<2x4x10xf32>
  )" + loss + lossGrad +
                      R"(
    %dl = nlp.tanh_grad %dh, %h : tensor<2x4x10xf32>
    %db = nlp.reduce_sum %dl leading 2 : tensor<2x4x10xf32>
  )"),
            "linear(0 1) broadcast(0 1) add(0 1) tanh(0 1) cross_entropy(0 1) "
            "cross_entropy_grad(0 1) tanh_grad(0 1) reduce_sum(0 1) "
            "<- 3** 2 1 2** 0");
}

TEST(LossRegion, TokensAsOneDimension) {
  // Tokens of the reshape: 4 in a sequence is its factor 0, 2 sequences 1.
  EXPECT_EQ(getRegion(sources + R"(
    %l = nlp.linear %x, %w layout out_in : tensor<2x4x6xf32>, tensor<10x6xf32>
    %h = nlp.reshape %l : tensor<2x4x10xf32> -> tensor<8x10xf32>
    %flat = nlp.reshape %targets : tensor<2x4xi32> -> tensor<8xi32>
    %loss, %lse = nlp.cross_entropy %h, %flat normalizer 8.0
        : tensor<8x10xf32>, tensor<8xi32>
  )"),
            "linear(0 1) reshape(1 0) cross_entropy(0) <- 3** 2 1*");
}

TEST(LossRegion, StopsAtProductsWhereTheHiddenStateIsAsWide) {
  // [2, 4, 6] all along: the layer before and the one after stay out.
  EXPECT_EQ(getRegion(R"(
    %x0 = nlp.fill 0.5 : tensor<2x4x6xf32>
    %w = nlp.fill 0.1 : tensor<6x6xf32>
    %targets = nlp.input targets : tensor<2x4xi32>
    %dloss = nlp.fill 1.0 : tensor<f32>
    %x1 = nlp.linear %x0, %w layout out_in : tensor<2x4x6xf32>, tensor<6x6xf32>
    %x = nlp.relu %x1 : tensor<2x4x6xf32>
    %h = nlp.linear %x, %w layout out_in : tensor<2x4x6xf32>, tensor<6x6xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 8.0
        : tensor<2x4x6xf32>, tensor<2x4xi32>
    %dh = nlp.cross_entropy_grad %dloss, %h, %targets, %lse normalizer 8.0
        : tensor<2x4x6xf32>, tensor<2x4xi32>, tensor<2x4xf32>
    %dw = nlp.linear_weight_grad %x, %dh layout out_in
        : tensor<2x4x6xf32>, tensor<2x4x6xf32>
    %dx = nlp.linear %dh, %w layout in_out
        : tensor<2x4x6xf32>, tensor<6x6xf32>
    %dx1 = nlp.relu_grad %dx, %x : tensor<2x4x6xf32>
  )"),
            "linear(0 1) cross_entropy(0 1) cross_entropy_grad(0 1) "
            "linear_weight_grad(0 1) linear(0 1) <- 3** 2 2** 0");
}

TEST(LossRegion, OneSequence) {
  EXPECT_EQ(getRegion(R"(
    %x = nlp.fill 0.5 : tensor<1x4x6xf32>
    %w = nlp.fill 0.1 : tensor<10x6xf32>
    %targets = nlp.input targets : tensor<1x4xi32>
    %h = nlp.linear %x, %w layout out_in : tensor<1x4x6xf32>, tensor<10x6xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 8.0
        : tensor<1x4x10xf32>, tensor<1x4xi32>
  )"),
            "linear(1) cross_entropy(1) <- 3** 2 2**");
}

TEST(LossRegion, NoLoss) {
  EXPECT_EQ(getRegion(sources + head), "there is no loss");
  EXPECT_EQ(getRegion(sources + head + R"(
    %sum = nlp.reduce_sum %h leading 3 : tensor<2x4x10xf32>
  )"),
            "there is no loss");
}

TEST(LossRegion, SeveralLosses) {
  EXPECT_EQ(getRegion(sources + head + loss + R"(
    %other, %o = nlp.cross_entropy %h, %targets normalizer 8.0
        : tensor<2x4x10xf32>, tensor<2x4xi32>
  )"),
            "there are several losses");
}

TEST(LossRegion, NoProduct) {
  EXPECT_EQ(
      getRegion(sources + "%h = nlp.fill 0.1 : tensor<2x4x10xf32>" + loss),
      "the logits do not come from a matrix product");
}

TEST(LossRegion, OneToken) {
  EXPECT_EQ(getRegion(R"(
    %h = nlp.fill 0.5 : tensor<1x1x6xf32>
    %targets = nlp.input targets : tensor<1x1xi32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 8.0
        : tensor<1x1x6xf32>, tensor<1x1xi32>
  )"),
            "the loss has one token only");
}

TEST(LossRegion, LogitsAreUsedElsewhere) {
  EXPECT_EQ(getRegion(sources + head + loss + R"(
    %kept = builtin.unrealized_conversion_cast %h : tensor<2x4x10xf32> to i32
  )"),
            "'builtin.unrealized_conversion_cast' uses the logits, but has no "
            "sharding rule");
}

TEST(LossRegion, GradientDependsOnTheLoss) {
  EXPECT_EQ(getRegion(sources + head + loss + R"(
    %squared = nlp.mul %loss, %loss : tensor<f32>
    %dh = nlp.cross_entropy_grad %squared, %h, %targets, %lse normalizer 8.0
        : tensor<2x4x10xf32>, tensor<2x4xi32>, tensor<2x4xf32>
  )"),
            "'nlp.cross_entropy_grad' reads what depends on the logits of "
            "other tokens");
}

TEST(LossRegion, SumOverTheTokensIsReadInside) {
  EXPECT_EQ(getRegion(sources + R"(
    %l = nlp.linear %x, %w layout out_in : tensor<2x4x6xf32>, tensor<10x6xf32>
    %sum = nlp.reduce_sum %l leading 2 : tensor<2x4x10xf32>
    %wide = nlp.broadcast %sum : tensor<10xf32> -> tensor<2x4x10xf32>
    %h = nlp.sub %l, %wide : tensor<2x4x10xf32>
  )" + loss),
            "'nlp.broadcast' reads a sum over the tokens");
}

TEST(LossRegion, NeedsAllTokens) {
  EXPECT_EQ(getRegion(sources + head + loss + R"(
    %part = nlp.slice %h dim 1 from 0 size 2 : tensor<2x4x10xf32>
  )"),
            "'nlp.slice' needs all tokens at a time");
}

} // namespace
