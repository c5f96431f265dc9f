//===- CostsTest.cpp - Flops, bytes and policies of ops -------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedOps.h"
#include "gtest/gtest.h"

using namespace nlp;

namespace {
struct Cost {
  int64_t flops, bytesRead, bytesWritten;
  bool isMatrixWork;

  bool operator==(const Cost &) const = default;
};

std::ostream &operator<<(std::ostream &os, const Cost &cost) {
  return os << cost.flops << " flops, " << cost.bytesRead << " read, "
            << cost.bytesWritten << " written, matrix " << cost.isMatrixWork;
}

Cost getCost(const std::string &text) {
  ParsedOps ops(text);
  auto op = ops.lastAs<CostModelOpInterface>();
  return {op.getFlops(), op.getBytesRead(), op.getBytesWritten(),
          op.isMatrixWork()};
}

std::string attention(const std::string &mask, int keys,
                      const std::string &attrs = "") {
  std::string key = "tensor<2x" + std::to_string(keys) + "x1x4xf32>";
  return "%q = nlp.fill 0.0 : tensor<2x5x3x4xf32>\n"
         "%k = nlp.fill 0.0 : " +
         key + "\n%o, %l = nlp.attention " + mask + " %q, %k, %k scale 0.5 " +
         attrs + " : tensor<2x5x3x4xf32>, " + key;
}

TEST(Costs, Linear) {
  // 2 * 32 rows * 6 * 10, and a bias of 32 * 10.
  EXPECT_EQ(getCost("%x = nlp.fill 0.0 : tensor<4x8x6xf32>\n"
                    "%w = nlp.fill 0.0 : tensor<6x10xf32>\n"
                    "%b = nlp.fill 0.0 : tensor<10xf32>\n"
                    "%y = nlp.linear %x, %w bias %b layout in_out : "
                    "tensor<4x8x6xf32>, tensor<6x10xf32>, tensor<10xf32>"),
            (Cost{3840 + 320, (192 + 60 + 10) * 4, 320 * 4, true}));
}

TEST(Costs, EmbeddingReadsItsRowsOnly) {
  // 6 rows of 8 floats and 6 ids, not the 1000 rows of the table.
  EXPECT_EQ(getCost("%t = nlp.fill 0.0 : tensor<1000x8xf32>\n"
                    "%i = nlp.input tokens : tensor<2x3xi32>\n"
                    "%y = nlp.embedding %t, %i : tensor<1000x8xf32>, "
                    "tensor<2x3xi32>"),
            (Cost{0, 6 * 8 * 4 + 6 * 4, 6 * 8 * 4, false}));
}

TEST(Costs, ReshapeMovesNothing) {
  EXPECT_EQ(getCost("%x = nlp.fill 0.0 : tensor<4x6xf32>\n"
                    "%y = nlp.reshape %x : tensor<4x6xf32> -> tensor<24xf32>"),
            (Cost{0, 0, 0, false}));
}

TEST(Costs, SliceReadsItsRangeOnly) {
  EXPECT_EQ(getCost("%x = nlp.fill 0.0 : tensor<4x6xbf16>\n"
                    "%y = nlp.slice %x dim 1 from 2 size 3 : tensor<4x6xbf16>"),
            (Cost{0, 4 * 3 * 2, 4 * 3 * 2, false}));
}

TEST(Costs, AttentionCountsAdmittedPairs) {
  // 2 products * 2 * d=4 flops for each pair of 2 * 3 heads.
  constexpr int64_t perPair = 2 * 2 * 4 * 2 * 3;
  EXPECT_EQ(getCost(attention("bidirectional", 7)).flops, 35 * perPair);
  EXPECT_EQ(getCost(attention("causal", 5)).flops, 15 * perPair);
  // A window of 2 admits 1 + 2 + 2 + 2 + 2 keys.
  EXPECT_EQ(getCost(attention("sliding_window", 5, "{window = 2 : i64}")).flops,
            9 * perPair);
  // A window beyond the sequence is a causal mask.
  EXPECT_EQ(getCost(attention("sliding_window", 5, "{window = 9 : i64}")).flops,
            15 * perPair);
  EXPECT_TRUE(getCost(attention("causal", 5)).isMatrixWork);
}

TEST(Policies, AttentionIsRandomWithDropoutOnly) {
  ParsedOps pure(attention("causal", 5));
  EXPECT_EQ(pure.lastAs<RecomputeOpInterface>().getRecomputeKind(),
            RecomputeKind::Pure);
  EXPECT_EQ(pure.lastAs<PrecisionPolicyOpInterface>().getPrecisionPolicy(),
            PrecisionPolicy::Lowerable);
  ParsedOps random("%q = nlp.fill 0.0 : tensor<2x5x3x4xf32>\n"
                   "%s = nlp.runtime_scalar step_seed : tensor<i64>\n"
                   "%f = nlp.runtime_scalar first_sequence : tensor<i64>\n"
                   "%o, %l = nlp.attention causal %q, %q, %q seed %s, %f "
                   "scale 0.5 {dropout = 0.1, site = \"a\"} : "
                   "tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>");
  EXPECT_EQ(random.lastAs<RecomputeOpInterface>().getRecomputeKind(),
            RecomputeKind::CounterRandom);
}
} // namespace
