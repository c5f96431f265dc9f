//===- ShardingTest.cpp - Factors of ops ----------------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nlp;

namespace {

void printValues(raw_ostream &os, const ShardingRule &rule,
                 ArrayRef<ShardingRule::ValueFactors> values) {
  llvm::interleaveComma(values, os, [&](const auto &dims) {
    os << "[";
    llvm::interleave(
        dims, os,
        [&](const ShardingRule::DimFactors &factors) {
          llvm::interleave(
              factors, os,
              [&](int factor) {
                os << rule.sizes[factor] << "PRW"[int(rule.kinds[factor])]
                   << factor;
              },
              "*");
        },
        " ");
    os << "]";
  });
}

/// Dimensions as products of factors: size, kind and number of each.
std::string getRule(const std::string &text) {
  ParsedOps ops(text);
  ShardingRule rule = ops.lastAs<ShardingRuleOpInterface>().getShardingRule();
  std::string result;
  llvm::raw_string_ostream os(result);
  printValues(os, rule, rule.operands);
  os << " -> ";
  printValues(os, rule, rule.results);
  return result;
}

std::string getReshapeRule(const std::string &from, const std::string &to) {
  return getRule("%x = nlp.fill 0.0 : tensor<" + from +
                 "xf32>\n%y = nlp.reshape %x : tensor<" + from +
                 "xf32> -> tensor<" + to + "xf32>");
}

TEST(Sharding, Reshape) {
  EXPECT_EQ(getReshapeRule("2x4x6", "8x6"), "[2P1 4P0 6P2] -> [2P1*4P0 6P2]");
  EXPECT_EQ(getReshapeRule("8x6", "8x2x3"), "[8P0 2P2*3P1] -> [8P0 2P2 3P1]");
  // Strides 24, 12, 4, 1 and 24, 4, 1.
  EXPECT_EQ(getReshapeRule("2x3x4", "6x4"), "[2P1 3P0 4P2] -> [2P1*3P0 4P2]");
  EXPECT_EQ(getReshapeRule("2x12", "8x3"), "[2P2 4P1*3P0] -> [2P2*4P1 3P0]");
  EXPECT_EQ(getReshapeRule("1x6", "6x1"), "[ 6P0] -> [6P0 ]");
  // 4 and 6 cut a row of 24 at 6 and at 4: no common factors.
  EXPECT_EQ(getReshapeRule("5x4x6", "5x6x4"), "[5P0 4W1 6W2] -> [5P0 6W3 4W4]");
}

TEST(Sharding, Linear) {
  std::string input = "%x = nlp.fill 0.0 : tensor<4x8x6xf32>\n"
                      "%w = nlp.fill 0.0 : tensor<10x6xf32>\n"
                      "%b = nlp.fill 0.0 : tensor<10xf32>\n";
  EXPECT_EQ(getRule(input + "%y = nlp.linear %x, %w layout out_in : "
                            "tensor<4x8x6xf32>, tensor<10x6xf32>"),
            "[4P0 8P1 6R2], [10P3 6R2] -> [4P0 8P1 10P3]");
  EXPECT_EQ(getRule(input +
                    "%y = nlp.linear %x, %w bias %b layout out_in : "
                    "tensor<4x8x6xf32>, tensor<10x6xf32>, tensor<10xf32>"),
            "[4P0 8P1 6W2], [10P3 6W2], [10P3] -> [4P0 8P1 10P3]");
}

TEST(Sharding, AttentionSplitsKeyHeads) {
  EXPECT_EQ(getRule("%q = nlp.fill 0.0 : tensor<2x5x6x4xf32>\n"
                    "%k = nlp.fill 0.0 : tensor<2x5x3x4xf32>\n"
                    "%o, %l = nlp.attention causal %q, %k, %k scale 0.5 : "
                    "tensor<2x5x6x4xf32>, tensor<2x5x3x4xf32>"),
            "[2P0 5W1 3P3*2P4 4W5], [2P0 5W2 3P3 4W5], [2P0 5W2 3P3 4W5] -> "
            "[2P0 5W1 3P3*2P4 4W5], [2P0 3P3*2P4 5W1]");
}

/// One of each op whose rule is not that of a pointwise op.
constexpr const char *allOps = R"mlir(
  %x = nlp.fill 0.0 : tensor<4x8x6xf32>
  %w = nlp.fill 0.0 : tensor<6x10xf32>
  %b = nlp.fill 0.0 : tensor<10xf32>
  %g = nlp.fill 0.0 : tensor<6xf32>
  %one = nlp.fill 1.0 : tensor<f32>
  %ids = nlp.input tokens : tensor<4x8xi32>
  %seed = nlp.runtime_scalar step_seed : tensor<i64>
  %lr = nlp.runtime_scalar learning_rate : tensor<f64>
  %t = nlp.runtime_scalar step_number : tensor<i64>
  %y = nlp.linear %x, %w bias %b layout in_out : tensor<4x8x6xf32>, tensor<6x10xf32>, tensor<10xf32>
  %dw = nlp.linear_weight_grad %x, %y layout out_in : tensor<4x8x6xf32>, tensor<4x8x10xf32>
  %e = nlp.embedding %w, %ids : tensor<6x10xf32>, tensor<4x8xi32>
  %de = nlp.embedding_grad %e, %ids rows 6 : tensor<4x8x10xf32>, tensor<4x8xi32>
  %n, %mean, %rstd = nlp.layer_norm %x, %g, %g eps 1.0e-5 : tensor<4x8x6xf32>, tensor<6xf32>
  %n1, %n2, %n3 = nlp.layer_norm_grad %x, %x, %g, %mean, %rstd : tensor<4x8x6xf32>, tensor<6xf32>, tensor<4x8xf32>
  %r, %rr = nlp.rms_norm %x, %g eps 1.0e-5 : tensor<4x8x6xf32>, tensor<6xf32>
  %r1, %r2 = nlp.rms_norm_grad %x, %x, %g, %rr : tensor<4x8x6xf32>, tensor<6xf32>, tensor<4x8xf32>
  %q = nlp.fill 0.0 : tensor<4x8x6x2xf32>
  %k = nlp.fill 0.0 : tensor<4x8x2x2xf32>
  %rope = nlp.rope %q frequencies [1.0] : tensor<4x8x6x2xf32>
  %o, %lse = nlp.attention causal %q, %k, %k seed %seed, %seed scale 0.5 {dropout = 0.1, site = "a"} : tensor<4x8x6x2xf32>, tensor<4x8x2x2xf32>
  %dq, %dk, %dv = nlp.attention_grad bidirectional %q, %q, %k, %k, %o, %lse scale 0.5 : tensor<4x8x6x2xf32>, tensor<4x8x2x2xf32>, tensor<4x6x8xf32>
  %loss, %l = nlp.cross_entropy %x, %ids normalizer 32.0 : tensor<4x8x6xf32>, tensor<4x8xi32>
  %dx = nlp.cross_entropy_grad %loss, %x, %ids, %l normalizer 32.0 : tensor<4x8x6xf32>, tensor<4x8xi32>, tensor<4x8xf32>
  %d = nlp.dropout %x, %seed, %seed rate 0.1 site "d" : tensor<4x8x6xf32>
  %tr = nlp.transpose %x [2, 0, 1] : tensor<4x8x6xf32>
  %s1, %s2 = nlp.split %x dim 1 [3, 5] : tensor<4x8x6xf32>
  %c = nlp.concat %s1, %s2 dim 1 : tensor<4x3x6xf32>, tensor<4x5x6xf32>
  %sl = nlp.slice %x dim 2 from 1 size 2 : tensor<4x8x6xf32>
  %pad = nlp.pad %x dim 2 by 1, 2 : tensor<4x8x6xf32>
  %br = nlp.broadcast %g : tensor<6xf32> -> tensor<4x8x6xf32>
  %rs = nlp.reduce_sum %x leading 2 : tensor<4x8x6xf32>
  %cast = nlp.cast %x : tensor<4x8x6xf32> -> tensor<4x8x6xbf16>
  %sq = nlp.square_sum %x : tensor<4x8x6xf32>
  %f, %norm = nlp.clip_factor %lr, %sq : tensor<1xf64>
  %p1, %p2, %p3 = nlp.adamw %x, %x moments %x, %x factor %f scalars %lr, %lr, %lr, %lr, %t decay %lr : tensor<4x8x6xf32>, tensor<4x8x6xf32>, tensor<4x8x6xf32>
  %u1, %u2 = nlp.sgd %x, %x velocity %x scalars %lr, %lr : tensor<4x8x6xf32>, tensor<4x8x6xf32>, tensor<4x8x6xf32>
  %add = nlp.add %x, %x : tensor<4x8x6xf32>
)mlir";

/// Each dimension is the product of its factors.
TEST(Sharding, FactorsMakeUpShapes) {
  ParsedOps ops(allOps);
  ASSERT_TRUE(ops.module);
  int checked = 0;
  ops.module->walk([&](ShardingRuleOpInterface op) {
    ShardingRule rule = op.getShardingRule();
    auto check = [&](ValueRange values,
                     ArrayRef<ShardingRule::ValueFactors> dims) {
      ASSERT_EQ(values.size(), dims.size())
          << op->getName().getStringRef().str();
      for (auto [value, valueDims] : llvm::zip_equal(values, dims)) {
        auto shape = cast<RankedTensorType>(value.getType()).getShape();
        SmallVector<int64_t> products;
        for (const ShardingRule::DimFactors &factors : valueDims) {
          products.push_back(1);
          for (int factor : factors)
            products.back() *= rule.sizes[factor];
        }
        EXPECT_EQ(SmallVector<int64_t>(shape), products)
            << op->getName().getStringRef().str();
      }
    };
    check(op->getOperands(), rule.operands);
    check(op->getResults(), rule.results);
    ++checked;
  });
  EXPECT_GT(checked, 30);
}
} // namespace
