//===- DType.h - Element types and their conversions -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 16-bit types are held as their bits; arithmetic is done in float or
// double. Conversions round to nearest, ties to even.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_DTYPE_H
#define NLPRT_CORE_DTYPE_H

#include "nlprt/nlprt.h"
#include <bit>
#include <cstring>
#include <string_view>

namespace nlprt {

/// Bytes of an element; 0 for a number that is no nlprt_dtype.
int64_t dtypeBytes(int64_t dtype);
/// safetensors' name: "F32"; "?" for a number that is no nlprt_dtype.
const char *dtypeName(int64_t dtype);
/// The floating-point type of a safetensors name, or -1.
int64_t floatNamed(std::string_view name);

inline float fromBF16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

inline uint16_t toBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) // NaN: keep it one
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float fromF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) // infinity, NaN
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x400)
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  float value = static_cast<float>(magnitude) * 0x1p-24f; // exact
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
}

inline uint16_t toF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000) // rounds past the largest number
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below 2^-14: adding 1/2 leaves the rounded multiple of 2^-24 in the
    // lowest bits.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return sign |
           static_cast<uint16_t>(std::bit_cast<uint32_t>(shifted) - 0x3f000000);
  }
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return sign | static_cast<uint16_t>((rounded - (112u << 23)) >> 13);
}

/// Reads element `index` of an array of a floating-point type.
inline double loadFloat(const void *data, int64_t dtype, int64_t index) {
  switch (dtype) {
  case NLPRT_BF16:
    return fromBF16(static_cast<const uint16_t *>(data)[index]);
  case NLPRT_F16:
    return fromF16(static_cast<const uint16_t *>(data)[index]);
  case NLPRT_F64:
    return static_cast<const double *>(data)[index];
  default:
    return static_cast<const float *>(data)[index];
  }
}

/// Writes element `index` of an array of a floating-point type.
inline void storeFloat(void *data, int64_t dtype, int64_t index, double value) {
  switch (dtype) {
  case NLPRT_BF16:
    static_cast<uint16_t *>(data)[index] = toBF16(static_cast<float>(value));
    break;
  case NLPRT_F16:
    static_cast<uint16_t *>(data)[index] = toF16(static_cast<float>(value));
    break;
  case NLPRT_F64:
    static_cast<double *>(data)[index] = value;
    break;
  default:
    static_cast<float *>(data)[index] = static_cast<float>(value);
  }
}

} // namespace nlprt

#endif // NLPRT_CORE_DTYPE_H
