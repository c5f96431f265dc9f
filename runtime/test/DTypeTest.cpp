//===- DTypeTest.cpp - Conversions, exhaustively -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/DType.h"
#include "core/Digest.h"
#include <cmath>
#include <gtest/gtest.h>
#include <string>

using namespace nlprt;

/// The value of half-precision bits by its definition.
static double halfValue(uint32_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24)
                               : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31)
    value = fraction ? NAN : INFINITY;
  return bits & 0x8000 ? -value : value;
}

TEST(DType, AllHalfNumbers) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float value = fromF16(uint16_t(bits));
    double wanted = halfValue(bits);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(std::isnan(fromF16(toF16(value)))) << bits;
      continue;
    }
    EXPECT_EQ(value, wanted) << bits;
    EXPECT_EQ(toF16(value), bits);
  }
}

TEST(DType, HalfRoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    double low = halfValue(bits), high = halfValue(bits + 1);
    float middle = float((low + high) / 2); // exact in f32
    uint32_t even = bits % 2 == 0 ? bits : bits + 1;
    EXPECT_EQ(toF16(middle), even);
    EXPECT_EQ(toF16(std::nextafter(middle, 0.0f)), bits);
    EXPECT_EQ(toF16(std::nextafter(middle, 1e9f)), bits + 1);
  }
  EXPECT_EQ(toF16(65519.0f), 0x7bff);
  EXPECT_EQ(toF16(65520.0f), 0x7c00);
  EXPECT_EQ(toF16(-1e30f), 0xfc00);
}

TEST(DType, BFloat16) {
  for (uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    float low = fromBF16(uint16_t(bits)), high = fromBF16(uint16_t(bits + 1));
    EXPECT_EQ(toBF16(low), bits);
    float middle = std::bit_cast<float>(bits << 16 | 0x8000);
    EXPECT_EQ(toBF16(middle), bits % 2 ? bits + 1 : bits);
    EXPECT_LT(low, high);
  }
  EXPECT_TRUE(std::isnan(fromBF16(toBF16(std::bit_cast<float>(0x7f800001)))));
  EXPECT_EQ(toBF16(-INFINITY), 0xff80);
}

TEST(DType, Names) {
  for (int64_t dtype : {NLPRT_F32, NLPRT_BF16, NLPRT_F16, NLPRT_F64})
    EXPECT_EQ(floatNamed(dtypeName(dtype)), dtype);
  EXPECT_EQ(floatNamed("I32"), -1);
  EXPECT_EQ(dtypeBytes(7), 0);
  EXPECT_EQ(dtypeBytes(-1), 0);
}

TEST(Digest, DoesNotDependOnPieces) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += char(i * 37);
  Digest whole;
  whole.update(text.data(), text.size());
  for (size_t piece : {1, 7, 31, 32, 33, 500}) {
    Digest parts;
    for (size_t at = 0; at < text.size(); at += piece)
      parts.update(text.data() + at, std::min(piece, text.size() - at));
    EXPECT_EQ(parts.value(), whole.value());
  }
  for (size_t at : {0, 500, 999}) {
    std::string damaged = text;
    damaged[at] ^= 1;
    Digest other;
    other.update(damaged.data(), damaged.size());
    EXPECT_NE(other.value(), whole.value());
  }
  Digest empty, zeros;
  zeros.update("\0\0", 2);
  EXPECT_NE(empty.value(), zeros.value());
}
