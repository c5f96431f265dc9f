//===- PointwiseGradients.cpp - Gradients of pointwise ops ----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the derivative follows from the result as well as from the operand, the
// result is read: it is live anyway when the next op needs it.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLP/IR/NLPDialect.h"

using namespace mlir;
using namespace nlp;

/// Defines the gradient of an op of one operand: `GRADIENT` of `g`, the
/// gradient of the result, builds with `b` at `loc`; `READS` are the values
/// that it reads besides `g`.
#define NLP_UNARY_GRADIENT(OpTy, READS, GRADIENT)                              \
  LogicalResult OpTy::buildGradient(                                           \
      OpBuilder &b, ValueRange resultGradients, ArrayRef<bool> needed,         \
      SmallVectorImpl<Value> &operandGradients) {                              \
    Location loc = getLoc();                                                   \
    Value g = resultGradients.front();                                         \
    if (g && needed.front())                                                   \
      operandGradients.front() = GRADIENT;                                     \
    return success();                                                          \
  }                                                                            \
  void OpTy::getGradientReads(SmallVectorImpl<Value> &values) {                \
    values.append(std::initializer_list<Value> READS);                         \
  }

NLP_UNARY_GRADIENT(NegOp, {}, NegOp::create(b, loc, g, nullptr))
NLP_UNARY_GRADIENT(ExpOp, {getResult()},
                   MulOp::create(b, loc, g, getResult(), nullptr))
NLP_UNARY_GRADIENT(LogOp, {getInput()},
                   DivOp::create(b, loc, g, getInput(), nullptr))
NLP_UNARY_GRADIENT(TanhOp, {getResult()},
                   TanhGradOp::create(b, loc, getResult(), g, nullptr))
NLP_UNARY_GRADIENT(SigmoidOp, {getResult()},
                   SigmoidGradOp::create(b, loc, getResult(), g, nullptr))
NLP_UNARY_GRADIENT(ReluOp, {getInput()},
                   ReluGradOp::create(b, loc, getInput(), g, nullptr))
NLP_UNARY_GRADIENT(SiluOp, {getInput()},
                   SiluGradOp::create(b, loc, getInput(), g, nullptr))
NLP_UNARY_GRADIENT(ScaleOp, {},
                   ScaleOp::create(b, loc, g, getFactorAttr(), nullptr))
NLP_UNARY_GRADIENT(GeluOp, {getInput()},
                   GeluGradOp::create(b, loc, getInput(), g, getKindAttr(),
                                      nullptr))
// The same draw keeps the same elements.
#define NLP_DROPOUT_READS {getSeed(), getFirstSequence()}
NLP_UNARY_GRADIENT(DropoutOp, NLP_DROPOUT_READS,
                   DropoutOp::create(b, loc, g, getSeed(), getFirstSequence(),
                                     getRateAttr(), getSiteAttr(), nullptr))

/// 1 / (2 result).
static Value buildSqrtGradient(OpBuilder &b, Location loc, Value g,
                               Value result) {
  Value quotient = DivOp::create(b, loc, g, result, nullptr);
  return ScaleOp::create(b, loc, quotient, b.getF64FloatAttr(0.5), nullptr);
}
NLP_UNARY_GRADIENT(SqrtOp, {getResult()},
                   buildSqrtGradient(b, loc, g, getResult()))

/// Defines the gradients of an op of two operands, as NLP_UNARY_GRADIENT.
#define NLP_BINARY_GRADIENT(OpTy, READS, LHS_GRADIENT, RHS_GRADIENT)           \
  LogicalResult OpTy::buildGradient(                                           \
      OpBuilder &b, ValueRange resultGradients, ArrayRef<bool> needed,         \
      SmallVectorImpl<Value> &operandGradients) {                              \
    [[maybe_unused]] Location loc = getLoc();                                  \
    Value g = resultGradients.front();                                         \
    if (g && needed[0])                                                        \
      operandGradients[0] = LHS_GRADIENT;                                      \
    if (g && needed[1])                                                        \
      operandGradients[1] = RHS_GRADIENT;                                      \
    return success();                                                          \
  }                                                                            \
  void OpTy::getGradientReads(SmallVectorImpl<Value> &values) {                \
    values.append(std::initializer_list<Value> READS);                         \
  }

NLP_BINARY_GRADIENT(AddOp, {}, g, g)
NLP_BINARY_GRADIENT(SubOp, {}, g, NegOp::create(b, loc, g, nullptr))

#define NLP_MUL_READS {getLhs(), getRhs()}
NLP_BINARY_GRADIENT(MulOp, NLP_MUL_READS,
                    MulOp::create(b, loc, g, getRhs(), nullptr),
                    MulOp::create(b, loc, g, getLhs(), nullptr))

/// -(g / rhs) * result.
static Value buildDivisorGradient(OpBuilder &b, Location loc, Value g,
                                  Value rhs, Value result) {
  Value quotient = DivOp::create(b, loc, g, rhs, nullptr);
  Value product = MulOp::create(b, loc, quotient, result, nullptr);
  return NegOp::create(b, loc, product, nullptr);
}
#define NLP_DIV_READS {getRhs(), getResult()}
NLP_BINARY_GRADIENT(DivOp, NLP_DIV_READS,
                    DivOp::create(b, loc, g, getRhs(), nullptr),
                    buildDivisorGradient(b, loc, g, getRhs(), getResult()))
