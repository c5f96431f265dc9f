//===- PointwiseTest.cpp - Pointwise ops by known values --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of erf, tanh and exp from numpy and scipy.
//
//===----------------------------------------------------------------------===//

#include "Evaluated.h"
#include "nlprt/counter_random.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace nlp::ref;

/// Expects `op` to make `results` of `inputs`.
static void expectUnary(const std::string &op, std::vector<double> inputs,
                        std::vector<double> results) {
  std::string type = " : tensor<" + std::to_string(inputs.size()) + "xf32>";
  Evaluated e({{"x", inputs}},
              "%x = nlp.read @x" + type + "\n%y = nlp." + op + type);
  e.expect("nlp." + op.substr(0, op.find(' ')), results);
}

TEST(ReferencePointwise, Unary) {
  expectUnary("neg %x", {1, -2}, {-1, 2});
  expectUnary("exp %x", {0, 1}, {1, 2.718281828459045});
  expectUnary("log %x", {1, 2}, {0, 0.6931471805599453});
  expectUnary("sqrt %x", {4, 2}, {2, 1.4142135623730951});
  expectUnary("tanh %x", {0, 0.5}, {0, 0.46211715726000973});
  expectUnary("sigmoid %x", {0, 1}, {0.5, 0.7310585786300049});
  expectUnary("relu %x", {-1, 0, 2}, {0, 0, 2});
  expectUnary("silu %x", {-1, 2}, {-0.2689414213699951, 1.7615941559557646});
  expectUnary("scale %x by -0.5", {4, -3}, {-2, 1.5});
}

TEST(ReferencePointwise, Gelu) {
  expectUnary("gelu erf %x", {-1, 0, 1},
              {-0.15865525393145707, 0, 0.8413447460685429});
  // 1/2 (1 + tanh(sqrt(2/pi) 1.044715)).
  expectUnary("gelu tanh %x", {-1, 0, 1},
              {-0.15880800939172324, 0, 0.8411919906082768});
}

TEST(ReferencePointwise, Binary) {
  auto expect = [](const std::string &op, std::vector<double> results) {
    Evaluated e({{"x", {6, -1}}, {"y", {4, 2}}},
                R"(%x = nlp.read @x : tensor<2xf32>
                   %y = nlp.read @y : tensor<2xf32>
                   %z = nlp.)" +
                    op + " %x, %y : tensor<2xf32>");
    e.expect("nlp." + op, results);
  };
  expect("add", {10, 1});
  expect("sub", {2, -3});
  expect("mul", {24, -2});
  expect("div", {1.5, -0.5});
}

TEST(ReferencePointwise, Gradients) {
  auto expect = [](const std::string &op, std::vector<double> inputs,
                   std::vector<double> results) {
    std::vector<double> twos(inputs.size(), 2.0);
    std::string type = " : tensor<" + std::to_string(inputs.size()) + "xf32>";
    Evaluated e({{"x", inputs}, {"g", twos}},
                "%x = nlp.read @x" + type + "\n%g = nlp.read @g" + type +
                    "\n%d = nlp." + op + " %x, %g" + type);
    e.expect("nlp." + op.substr(0, op.find(' ')), results);
  };
  expect("relu_grad", {-1, 0, 3}, {0, 0, 2});
  expect("tanh_grad", {0.5}, {2 * 0.75});
  expect("sigmoid_grad", {0.25}, {2 * 0.25 * 0.75});
  // s = 1/2 at 0: 2 * 1/2.
  expect("silu_grad", {0}, {1});
  // P(x) + x p(x) at 1, with the normal distribution.
  expect("gelu_grad erf", {0, 1}, {1, 2 * 1.0833154705876864});
  expect("gelu_grad tanh", {0}, {1});
}

TEST(ReferencePointwise, PhiloxKnownAnswer) {
  // The generator's authors' test vector for zero counter and key.
  uint32_t words[4];
  nlprt_philox(0, 0, words);
  EXPECT_EQ(words[0], 0x6627e8d5u);
  EXPECT_EQ(words[1], 0xe169c58du);
  EXPECT_EQ(words[2], 0xbc57ac4cu);
  EXPECT_EQ(words[3], 0x9b00dbd8u);
}

TEST(ReferencePointwise, Dropout) {
  // Element i of a sequence of 100, first sequence 3: draw number 300 + i.
  std::vector<double> ones(100, 1.0);
  Evaluated e({{"x", ones}}, R"(
    %x = nlp.read @x : tensor<1x100xf32>
    %s = nlp.runtime_scalar step_seed : tensor<i64>
    %y = nlp.dropout %x, %s, %s rate 0.25 site "h.0" : tensor<1x100xf32>)",
              {}, 3);
  const TensorValue &y = e.get("nlp.dropout");
  uint64_t key = nlprt_mix(3, nlprt_hash_name("h.0"));
  int dropped = 0;
  for (int i = 0; i < 100; ++i) {
    bool drops = nlprt_draw(key, 300 + i) < 0.25 * 4294967296.0;
    dropped += drops;
    EXPECT_EQ(y[i], drops ? 0.0 : 1 / 0.75) << i;
  }
  EXPECT_NEAR(dropped, 25, 13); // three standard deviations
}

TEST(ReferencePointwise, NarrowTypesRound) {
  // bf16 has 8 bits: 1 + 2^-8 is half way, and 1 is even; 3 * 2^-8 goes up.
  Evaluated e({{"x", {1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1.8p-8}}}, R"(
    %x = nlp.read @x : tensor<3xf32>
    %y = nlp.cast %x : tensor<3xf32> -> tensor<3xbf16>
    %z = nlp.cast %y : tensor<3xbf16> -> tensor<3xf32>)");
  e.expect("nlp.cast", {1, 1 + 0x1p-6, 1 + 0x1p-7}, 0, 0.0);
  Evaluated exact({{"x", {1 + 0x1p-8}}}, R"(
    %x = nlp.read @x : tensor<1xf32>
    %y = nlp.cast %x : tensor<1xf32> -> tensor<1xbf16>)",
                  {}, 0, Rounding::None);
  exact.expect("nlp.cast", {1 + 0x1p-8}, 0, 0.0);
  mlir::MLIRContext context;
  mlir::Type half = mlir::Float16Type::get(&context);
  EXPECT_EQ(roundTo(half, 65504 + 15), 65504);
  EXPECT_EQ(roundTo(half, 65504 + 17), INFINITY);
}
