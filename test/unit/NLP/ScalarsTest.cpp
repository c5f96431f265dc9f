//===- ScalarsTest.cpp - Definitions of pointwise ops ---------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Definitions are built on constants and folded; the folder computes them in
// f64. Gradient ops are compared with central differences of their op.
//
//===----------------------------------------------------------------------===//

#include "ParsedOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace nlp;

namespace {

/// The value of `op`'s definition at `args`, found by folding.
double evaluate(const std::string &op, ArrayRef<double> args) {
  std::string operands = args.size() == 1 ? "%x" : "%x, %x";
  std::string text = op;
  text.replace(text.find("$"), 1, operands);
  ParsedOps ops("%x = nlp.fill 0.0 : tensor<f32>\n%y = " + text +
                " : tensor<f32>");
  auto definition = ops.lastAs<ScalarDefinitionOpInterface>();
  OpBuilder builder(&ops.context);
  builder.setInsertionPointToEnd(ops.module->getBody());
  SmallVector<Value> values;
  for (double arg : args)
    values.push_back(getScalarConstant(builder, builder.getUnknownLoc(),
                                       builder.getF64Type(), arg));
  Value result =
      definition.buildScalar(builder, builder.getUnknownLoc(), values).front();
  // An unknown op, so that folding leaves the result.
  ops.context.allowUnregisteredDialects();
  OperationState state(builder.getUnknownLoc(), "test.use", result, {}, {});
  Operation *use = builder.create(state);
  if (failed(
          applyPatternsGreedily(*ops.module, RewritePatternSet(&ops.context))))
    return std::nan("");
  FloatAttr value;
  return matchPattern(use->getOperand(0), m_Constant(&value))
             ? value.getValueAsDouble()
             : std::nan("");
}

TEST(Scalars, Values) {
  EXPECT_DOUBLE_EQ(evaluate("nlp.add $", {2.0, 3.5}), 5.5);
  EXPECT_DOUBLE_EQ(evaluate("nlp.sub $", {2.0, 3.5}), -1.5);
  EXPECT_DOUBLE_EQ(evaluate("nlp.mul $", {2.0, 3.5}), 7.0);
  EXPECT_DOUBLE_EQ(evaluate("nlp.div $", {2.0, 4.0}), 0.5);
  EXPECT_DOUBLE_EQ(evaluate("nlp.neg $", {2.0}), -2.0);
  EXPECT_DOUBLE_EQ(evaluate("nlp.scale $ by 0.25", {2.0}), 0.5);
  EXPECT_DOUBLE_EQ(evaluate("nlp.relu $", {-2.0}), 0.0);
  EXPECT_DOUBLE_EQ(evaluate("nlp.relu $", {2.0}), 2.0);
  EXPECT_NEAR(evaluate("nlp.exp $", {1.5}), std::exp(1.5), 1e-12);
  EXPECT_NEAR(evaluate("nlp.log $", {1.5}), std::log(1.5), 1e-12);
  EXPECT_NEAR(evaluate("nlp.sqrt $", {2.0}), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(evaluate("nlp.tanh $", {0.7}), std::tanh(0.7), 1e-12);
  EXPECT_NEAR(evaluate("nlp.sigmoid $", {0.7}), 1 / (1 + std::exp(-0.7)),
              1e-12);
  EXPECT_NEAR(evaluate("nlp.silu $", {0.7}), 0.7 / (1 + std::exp(-0.7)), 1e-12);
  // x/2 (1 + erf(x / sqrt 2)) and x/2 (1 + tanh(...)) at 1.
  EXPECT_NEAR(evaluate("nlp.gelu erf $", {1.0}), 0.8413447460685429, 1e-12);
  EXPECT_NEAR(evaluate("nlp.gelu tanh $", {1.0}), 0.8411919906082768, 1e-12);
}

/// `gradient` at (x, 1.5), or at (f(x), 1.5) where it reads the result, is 1.5
/// times the central difference of `function`.
void checkGradient(const std::string &function, const std::string &gradient,
                   bool readsResult = false) {
  for (double x : {-2.3, -0.4, 0.9, 3.1}) {
    double step = 1e-5;
    double difference =
        (evaluate(function, {x + step}) - evaluate(function, {x - step})) /
        (2 * step);
    double at = readsResult ? evaluate(function, {x}) : x;
    EXPECT_NEAR(evaluate(gradient, {at, 1.5}), 1.5 * difference, 1e-8)
        << gradient << " at " << x;
  }
}

TEST(Scalars, Gradients) {
  checkGradient("nlp.gelu erf $", "nlp.gelu_grad erf $");
  checkGradient("nlp.gelu tanh $", "nlp.gelu_grad tanh $");
  checkGradient("nlp.silu $", "nlp.silu_grad $");
  checkGradient("nlp.relu $", "nlp.relu_grad $");
  checkGradient("nlp.tanh $", "nlp.tanh_grad $", /*readsResult=*/true);
  checkGradient("nlp.sigmoid $", "nlp.sigmoid_grad $", /*readsResult=*/true);
}

TEST(Scalars, BuildOnVectors) {
  for (const char *op :
       {"nlp.add %x, %x", "nlp.scale %x by 2.0", "nlp.gelu erf %x",
        "nlp.gelu tanh %x", "nlp.gelu_grad erf %x, %x", "nlp.silu_grad %x, %x",
        "nlp.relu %x", "nlp.relu_grad %x, %x"}) {
    ParsedOps ops("%x = nlp.fill 0.0 : tensor<f32>\n%y = " + std::string(op) +
                  " : tensor<f32>");
    auto definition = ops.lastAs<ScalarDefinitionOpInterface>();
    OpBuilder builder(&ops.context);
    builder.setInsertionPointToEnd(ops.module->getBody());
    Location loc = builder.getUnknownLoc();
    for (Type type : {Type(VectorType::get({8}, builder.getF32Type())),
                      Type(builder.getF32Type()), Type(builder.getF64Type())}) {
      Value arg = getScalarConstant(builder, loc, type, 0.5);
      SmallVector<Value> args(definition->getNumOperands(), arg);
      auto results = definition.buildScalar(builder, loc, args);
      ASSERT_EQ(results.size(), 1u) << op;
      EXPECT_EQ(results.front().getType(), type) << op;
    }
    EXPECT_TRUE(succeeded(verify(*ops.module))) << op;
  }
}
} // namespace
