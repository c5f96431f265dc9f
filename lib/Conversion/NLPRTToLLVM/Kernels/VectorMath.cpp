//===- VectorMath.cpp - Elementary functions of kernels ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch-free f32 functions for scalars and vectors alike: argument reduction,
// then a polynomial or a quotient of two, fitted by weighted least squares for
// the least relative error (given beside each table, before rounding to f32).
// Measured errors are within 2e-6 everywhere, most within 3e-7, which
// KernelMathTest checks; infinities give the limits, and NaN gives NaN.
// `exp` is 0 where its result would be subnormal.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include <limits>

using namespace mlir;
using namespace nlp::rt;

// (e^r - 1 - r) / r^2 on |r| <= ln(2) / 2: 3.1e-9.
static const double kExp[] = {0.49999993412469645, 0.1666652010762644,
                              0.04166839421741774, 0.00836878042907922,
                              0.001381446674016288};
// e^r on |r| <= ln(2) / 2: 1.1e-7.
static const double kExpShort[] = {1.0,
                                   1.0,
                                   0.4999922882313107,
                                   0.1666711631321457,
                                   0.04189055023911463,
                                   0.008312477792315026};
// (ln(1 + f) - f + f^2 / 2) / f^3 on 1 + f in [2^-1/2, 2^1/2]: 5.8e-9.
static const double kLog[] = {0.33333331707804625, -0.250008210355007,
                              0.20001226865407096, -0.16623357298105568,
                              0.14201758233751158, -0.13160183062536218,
                              0.1276157564388953,  -0.07634493024351478};
// tanh(x) / x in z = x^2, |x| <= 9.1: 2.3e-8.
static const double kTanhOver[] = {0.9999999771849303, 0.13374474482100907,
                                   0.0034878102779405703, 2.048117632761285e-05,
                                   1.3177511674692651e-08};
static const double kTanhUnder[] = {1.0, 0.46707788257556393,
                                    0.02584738547687939, 0.0003272919031294714,
                                    7.704040990123262e-07};
// erf(x) / x in z = x^2, |x| <= 3.95: 2.1e-8.
static const double kErfOver[] = {
    1.1283791437352848,    0.19155062381442228,    0.052875492635588724,
    0.0038081765864576345, 0.00028468835258723844, 2.025909270948492e-06};
static const double kErfUnder[] = {1.0,
                                   0.5030899958974964,
                                   0.11455975759935445,
                                   0.01505511920475464,
                                   0.0011707299572285479,
                                   3.7831846734165575e-05};
// (sin(r) / r - 1) / z and (cos(r) - 1 + z / 2) / z^2 in z = r^2,
// |r| <= pi / 4: 4.9e-12 and 1.0e-13.
static const double kSin[] = {-0.16666666641526903, 0.008333329374126092,
                              -0.0001983933099818066, 2.7182744830538143e-06};
static const double kCos[] = {0.041666666622652955, -0.0013888883738049534,
                              2.4799515893682338e-05, -2.7209893236312694e-07};

/// Horner's scheme, fused.
Val KernelBuilder::polynomial(Val x, ArrayRef<double> coefficients) {
  Val sum = constantLike(coefficients.back(), x);
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, constantLike(coefficient, x));
  return sum;
}

// The range in which e^x and its parts are normal numbers.
static constexpr double kLowestExp = -87.33, kHighestExp = 88.72283;
// Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
static constexpr double kExpShift = 12582912.0;

/// `power` times 2 to the integer that `shifted` holds.
static Val scaleByPower(KernelBuilder &kernel, Val power, Val shifted) {
  Val bits = kernel.bitcast(power, kernel.i32()) +
             (kernel.bitcast(shifted, kernel.i32()) << 23);
  return kernel.bitcast(bits, kernel.f32());
}

Val KernelBuilder::exp(Val x) {
  const double infinity = std::numeric_limits<double>::infinity();
  Val clamped =
      min(constantLike(kHighestExp, x), max(constantLike(kLowestExp, x), x));
  Val shifted = fma(clamped, constantLike(1.4426950408889634, x),
                    constantLike(kExpShift, x));
  Val n = shifted - kExpShift;
  Val r = fma(n, constantLike(-0.693359375, x), clamped);
  r = fma(n, constantLike(2.12194440054690583e-4, x), r);
  Val power = fma(polynomial(r, kExp), r * r, r) + 1.0;
  Val result = scaleByPower(*this, power, shifted);
  result = select(x < kLowestExp, constantLike(0.0, x), result);
  return select(x > kHighestExp, constantLike(infinity, x), result);
}

Val KernelBuilder::expBelow(Val x) {
  Val clamped = max(constantLike(kLowestExp, x), x);
  Val shifted = fma(clamped, constantLike(1.4426950408889634, x),
                    constantLike(kExpShift, x));
  Val r =
      fma(shifted - kExpShift, constantLike(-0.69314718055994531, x), clamped);
  return scaleByPower(*this, polynomial(r, kExpShort), shifted);
}

Val KernelBuilder::log(Val x) {
  const double infinity = std::numeric_limits<double>::infinity();
  const int64_t half = 0x3f3504f3; // 2^-1/2
  // Subnormal numbers are scaled by 2^23 first.
  Val tiny = x < 1.17549435e-38;
  Val bits = bitcast(select(tiny, x * 8388608.0, x), i32());
  Val biased = bits + (0x3f800000 - half);
  Val exponent = toFloat((biased >> 23) - 127, f32());
  exponent = select(tiny, exponent - 23.0, exponent);
  Val f = bitcast((biased & 0x7fffff) + half, f32()) - 1.0;
  Val z = f * f;
  Val low = fma(exponent, constantLike(-2.12194440054690583e-4, x),
                f * z * polynomial(f, kLog));
  Val result = fma(exponent, constantLike(0.693359375, x),
                   f + fma(z, constantLike(-0.5, x), low));
  Val nan = constantLike(std::numeric_limits<double>::quiet_NaN(), x);
  result = select(x > 0.0, result,
                  select(x == 0.0, constantLike(-infinity, x), nan));
  return select(x == infinity, x, result);
}

Val KernelBuilder::tanh(Val x) {
  Val c = min(constantLike(9.1, x), max(constantLike(-9.1, x), x)), z = c * c;
  return c * polynomial(z, kTanhOver) / polynomial(z, kTanhUnder);
}

Val KernelBuilder::erf(Val x) {
  Val c = min(constantLike(3.95, x), max(constantLike(-3.95, x), x)), z = c * c;
  return c * polynomial(z, kErfOver) / polynomial(z, kErfUnder);
}

std::pair<Val, Val> KernelBuilder::sinCos(Val angle) {
  const double shift = 6755399441055744.0; // 1.5 * 2^52
  Val shifted = fma(angle, constantLike(0.63661977236758134, angle),
                    constantLike(shift, angle));
  Val quadrant = bitcast(shifted, i64()), n = shifted - shift;
  // pi / 2 in two parts.
  Val r = fma(n, constantLike(-1.5707963267948966, angle), angle);
  r = fma(n, constantLike(-6.123233995736766e-17, angle), r);
  Val z = r * r;
  Val sine = fma(r * z, polynomial(z, kSin), r);
  Val cosine = fma(z * z, polynomial(z, kCos),
                   fma(z, constantLike(-0.5, angle), constantLike(1.0, angle)));
  Val odd = (quadrant & 1) == 1;
  Val first = select(odd, cosine, sine), second = select(odd, sine, cosine);
  first = select((quadrant & 2) == 2, -first, first);
  second = select(((quadrant + 1) & 2) == 2, -second, second);
  return {convert(first, f32()), convert(second, f32())};
}
