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

namespace nlprt {
namespace {

constexpr int kLanes = NLPRT_VECTOR_LANES;
typedef float Floats __attribute__((vector_size(4 * kLanes)));
typedef int32_t Ints __attribute__((vector_size(4 * kLanes)));
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
  Ints lanes;
  for (int i = 0; i < kLanes; ++i)
    lanes[i] = i;
  return lanes;
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
  Floats scaled = (Floats)((Ints)p + ((Ints)rounded << 23));
  return x < -126.0f ? Floats{} : scaled;
}

/// lanes[i][j] becomes lanes[j][i].
NLPRT_INLINE void transpose(Floats (&rows)[kLanes]) {
#pragma GCC unroll 4
  for (int half = 1; half < kLanes; half *= 2) {
    Ints low, high;
    for (int i = 0; i < kLanes; ++i) {
      low[i] = i & half ? kLanes + i - half : i;
      high[i] = i & half ? kLanes + i : i + half;
    }
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i)
      if (!(i & half)) {
        Floats a = rows[i], b = rows[i + half];
        rows[i] = __builtin_shuffle(a, b, low);
        rows[i + half] = __builtin_shuffle(a, b, high);
      }
  }
}

} // namespace
} // namespace nlprt

#endif // NLPRT_KERNELS_ATTENTION_SIMD_H
