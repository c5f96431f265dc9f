//===- Simd.h - Vectors of the instruction set being compiled ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GCC's vector types at the width that the including file sets in
// NLPRT_VECTOR_LANES. Everything is internal to that file.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_ATTENTION_SIMD_H
#define NLPRT_KERNELS_ATTENTION_SIMD_H

#include "Attention.h"

#if NLPRT_VECTOR_LANES > 4
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized" // GCC 12's header warns
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace nlprt {
namespace {

constexpr int kLanes = NLPRT_VECTOR_LANES;
typedef float Floats __attribute__((vector_size(4 * kLanes)));
typedef int32_t Ints __attribute__((vector_size(4 * kLanes)));
typedef uint32_t Bits __attribute__((vector_size(4 * kLanes)));
typedef uint64_t Longs __attribute__((vector_size(4 * kLanes)));
typedef float LooseFloats
    __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
typedef int32_t LooseInts
    __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));

NLPRT_INLINE Floats load(const float *from) {
  return *reinterpret_cast<const LooseFloats *>(from);
}
NLPRT_INLINE void store(float *to, Floats value) {
  *reinterpret_cast<LooseFloats *>(to) = value;
}
NLPRT_INLINE Ints loadInts(const void *from) {
  return *static_cast<const LooseInts *>(from);
}
NLPRT_INLINE Floats splat(float value) { return value - Floats{}; }
NLPRT_INLINE Floats maximum(Floats a, Floats b) { return a > b ? a : b; }

/// 0, 1, 2, ...
NLPRT_INLINE Ints laneNumbers() {
#if NLPRT_VECTOR_LANES == 16
  return Ints{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif NLPRT_VECTOR_LANES == 8
  return Ints{0, 1, 2, 3, 4, 5, 6, 7};
#else
  return Ints{0, 1, 2, 3};
#endif
}

/// The same as 64-bit numbers, half as many.
NLPRT_INLINE Longs longLaneNumbers() {
#if NLPRT_VECTOR_LANES == 16
  return Longs{0, 1, 2, 3, 4, 5, 6, 7};
#elif NLPRT_VECTOR_LANES == 8
  return Longs{0, 1, 2, 3};
#else
  return Longs{0, 1};
#endif
}

/// Products of the low 32 bits of each lane with `factor`.
NLPRT_INLINE Longs multiplyLow(Longs a, uint32_t factor) {
  Longs b = Longs{} + factor;
#if NLPRT_VECTOR_LANES == 16
  return (Longs)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif NLPRT_VECTOR_LANES == 8
  return (Longs)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
  return (a & 0xffffffffu) * b;
#endif
}

/// 2^x for x <= 127; 0 below -126. Within 1.5 units in the last place: a
/// polynomial of degree 5 on [-1/2, 1/2] (relative error 1e-7), scaled by
/// adding to the exponent. The shift to integers is by adding 1.5 * 2^23.
NLPRT_INLINE Floats exp2(Floats x) {
  const Floats shift = splat(12582912.0f);
  Floats rounded = x + shift;
  Floats f = x - (rounded - shift);
  Floats p = splat(0x1.5bba12p-10f);
  p = p * f + 0x1.3cea88p-7f;
  p = p * f + 0x1.c6b752p-5f;
  p = p * f + 0x1.ebf9bcp-3f;
  p = p * f + 0x1.62e42ap-1f;
  p = p * f + 1.0f;
  Floats scaled = (Floats)((Bits)p + ((Bits)rounded << 23));
  return x < -126.0f ? Floats{} : scaled;
}

/// rows[i][j] becomes rows[j][i]: exchanges blocks of kHalf x kHalf, for kHalf
/// 1, 2, 4, ... (Eklundh).
template <int kHalf = 1> NLPRT_INLINE void transpose(Floats (&rows)[kLanes]) {
  Ints low = laneNumbers(), high = low + kHalf;
  Ints isOdd = (low & kHalf) != 0;
  low = isOdd ? low + (kLanes - kHalf) : low;
  high = isOdd ? high + (kLanes - kHalf) : high;
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i)
    if (!(i & kHalf)) {
      Floats a = rows[i], b = rows[i + kHalf];
      rows[i] = __builtin_shuffle(a, b, low);
      rows[i + kHalf] = __builtin_shuffle(a, b, high);
    }
  if constexpr (2 * kHalf < kLanes)
    transpose<2 * kHalf>(rows);
}

} // namespace
} // namespace nlprt

#endif // NLPRT_KERNELS_ATTENTION_SIMD_H
