//===- PointwiseScalars.cpp - What pointwise ops do to one element --------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one definition of every pointwise op, in ops of `arith` and `math` that
// work on floats and on vectors of floats alike. Code for every target and the
// reference interpreter are derived from it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace nlp;

namespace {
/// Writes formulas as C++ expressions: `f(x) * f(2.0)` builds their ops.
struct Formula {
  struct Term {
    Formula *formula;
    Value value;
  };

  OpBuilder &builder;
  Location loc;
  Type type;

  Formula(OpBuilder &builder, Location loc, ValueRange args)
      : builder(builder), loc(loc), type(args.front().getType()) {}

  Term operator()(Value value) { return {this, value}; }
  Term operator()(double value) {
    return {this, getScalarConstant(builder, loc, type, value)};
  }
  template <typename OpTy> Term apply(Term x) {
    return {this, OpTy::create(builder, loc, x.value)};
  }
  template <typename OpTy> Term apply(Term x, Term y) {
    return {this, OpTy::create(builder, loc, x.value, y.value)};
  }
  Term exp(Term x) { return apply<math::ExpOp>(x); }
  Term tanh(Term x) { return apply<math::TanhOp>(x); }
  Term erf(Term x) { return apply<math::ErfOp>(x); }
  /// 1 / (1 + e^-x).
  Term sigmoid(Term x);
  /// x > 0 ? y : 0.
  Term ifPositive(Term x, Term y) {
    Value isPositive = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OGT, x.value, (*this)(0.0).value);
    return {this, arith::SelectOp::create(builder, loc, isPositive, y.value,
                                          (*this)(0.0).value)};
  }
};
using Term = Formula::Term;
} // namespace

static Term operator+(Term x, Term y) {
  return x.formula->apply<arith::AddFOp>(x, y);
}
static Term operator-(Term x, Term y) {
  return x.formula->apply<arith::SubFOp>(x, y);
}
static Term operator*(Term x, Term y) {
  return x.formula->apply<arith::MulFOp>(x, y);
}
static Term operator/(Term x, Term y) {
  return x.formula->apply<arith::DivFOp>(x, y);
}
static Term operator-(Term x) { return x.formula->apply<arith::NegFOp>(x); }

Term Formula::sigmoid(Term x) {
  Term one = (*this)(1.0);
  return one / (one + exp(-x));
}

/// Coefficient of x^3 in the tanh form of GELU.
static constexpr double geluCubic = 0.044715;
/// sqrt(2 / pi), sqrt(1 / 2) and 1 / sqrt(2 pi).
static const double sqrtTwoOverPi = std::sqrt(2.0 * llvm::numbers::inv_pi);
static constexpr double sqrtHalf = llvm::numbers::sqrt2 / 2.0;
static const double invSqrtTwoPi = std::sqrt(0.5 * llvm::numbers::inv_pi);

/// tanh(sqrt(2/pi) * (x + 0.044715 x^3)).
static Term buildGeluTanh(Formula &f, Term x) {
  return f.tanh(f(sqrtTwoOverPi) * (x + f(geluCubic) * (x * x * x)));
}

static Term buildGelu(Formula &f, Term x, GeluKind kind) {
  Term squash =
      kind == GeluKind::Erf ? f.erf(x * f(sqrtHalf)) : buildGeluTanh(f, x);
  return f(0.5) * x * (f(1.0) + squash);
}

static Term buildGeluDerivative(Formula &f, Term x, GeluKind kind) {
  if (kind == GeluKind::Erf) {
    // P(x) + x p(x), with the normal distribution P and its density p.
    Term distribution = f(0.5) * (f(1.0) + f.erf(x * f(sqrtHalf)));
    Term density = f(invSqrtTwoPi) * f.exp(f(-0.5) * (x * x));
    return distribution + x * density;
  }
  Term tanh = buildGeluTanh(f, x);
  Term inner = f(sqrtTwoOverPi) * (f(1.0) + f(3.0 * geluCubic) * (x * x));
  return f(0.5) * (f(1.0) + tanh) + f(0.5) * x * (f(1.0) - tanh * tanh) * inner;
}

static Term buildSiluDerivative(Formula &f, Term x) {
  Term s = f.sigmoid(x);
  return s * (f(1.0) + x * (f(1.0) - s));
}

/// Defines `OpTy::buildScalar` as `FORMULA` of the operands `x` and `y` (null
/// where there is one) and the builder `f`.
#define NLP_SCALAR(OpTy, FORMULA)                                              \
  SmallVector<Value> OpTy::buildScalar(OpBuilder &builder, Location loc,       \
                                       ValueRange args) {                      \
    Formula f(builder, loc, args);                                             \
    [[maybe_unused]] Term x = f(args.front()), y = f(args.back());             \
    return {(FORMULA).value};                                                  \
  }

NLP_SCALAR(AddOp, x + y)
NLP_SCALAR(SubOp, x - y)
NLP_SCALAR(MulOp, x *y)
NLP_SCALAR(DivOp, x / y)
NLP_SCALAR(NegOp, -x)
NLP_SCALAR(ExpOp, f.exp(x))
NLP_SCALAR(LogOp, f.apply<math::LogOp>(x))
NLP_SCALAR(SqrtOp, f.apply<math::SqrtOp>(x))
NLP_SCALAR(TanhOp, f.tanh(x))
NLP_SCALAR(SigmoidOp, f.sigmoid(x))
NLP_SCALAR(ReluOp, f.apply<arith::MaximumFOp>(x, f(0.0)))
NLP_SCALAR(SiluOp, x *f.sigmoid(x))
NLP_SCALAR(ScaleOp, f(getFactor().convertToDouble()) * x)
NLP_SCALAR(GeluOp, buildGelu(f, x, getKind()))
NLP_SCALAR(GeluGradOp, y *buildGeluDerivative(f, x, getKind()))
NLP_SCALAR(SiluGradOp, y *buildSiluDerivative(f, x))
NLP_SCALAR(ReluGradOp, f.ifPositive(x, y))
NLP_SCALAR(TanhGradOp, y *(f(1.0) - x * x))
NLP_SCALAR(SigmoidGradOp, y * x * (f(1.0) - x))
