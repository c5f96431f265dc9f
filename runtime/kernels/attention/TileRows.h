//===- TileRows.h - Tiles in and out of tensors -----------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of one head, as f32 with padded width; their transpose; and the bits of
// dropout for a row of a tile.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_ATTENTION_TILEROWS_H
#define NLPRT_KERNELS_ATTENTION_TILEROWS_H

#include "Attention.h"
#include "Simd.h"
#include "TileProduct.h"
#include "nlprt/counter_random.h"

namespace nlprt {
namespace {

NLPRT_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
NLPRT_INLINE int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/// Columns rounded up to whole vectors.
NLPRT_INLINE int64_t wholeVectors(int64_t columns) {
  return (columns + kLanes - 1) / kLanes * kLanes;
}

NLPRT_INLINE void fill(float *to, int64_t count, float value) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = value;
}

/// `count` rows of `dim` elements from element `first` of `tensor`, rows
/// `stride` elements apart, as f32 in `scratch` (padded with zeros).
Matrix loadRows(const AttentionJob &job, const void *tensor, int64_t first,
                int64_t stride, int64_t count, float *scratch) {
  int64_t dim = job.dim, padded = job.paddedDim;
  for (int64_t i = 0; i < count; ++i) {
    float *to = scratch + i * padded;
    if (job.isBf16) {
      const uint16_t *from =
          static_cast<const uint16_t *>(tensor) + first + i * stride;
      for (int64_t c = 0; c < dim; ++c) {
        uint32_t bits = static_cast<uint32_t>(from[c]) << 16;
        __builtin_memcpy(to + c, &bits, sizeof(bits));
      }
    } else {
      const float *from =
          static_cast<const float *>(tensor) + first + i * stride;
      for (int64_t c = 0; c < dim; ++c)
        to[c] = from[c];
    }
    for (int64_t c = dim; c < padded; ++c)
      to[c] = 0.0f;
  }
  return {scratch, padded};
}

/// Writes `count` rows of `dim` elements, times `factor`.
void storeRows(const AttentionJob &job, const float *rows, int64_t count,
               float factor, void *tensor, int64_t first, int64_t stride) {
  for (int64_t i = 0; i < count; ++i) {
    const float *from = rows + i * job.paddedDim;
    if (!job.isBf16) {
      float *to = static_cast<float *>(tensor) + first + i * stride;
      for (int64_t c = 0; c < job.dim; ++c)
        to[c] = from[c] * factor;
      continue;
    }
    uint16_t *to = static_cast<uint16_t *>(tensor) + first + i * stride;
    for (int64_t c = 0; c < job.dim; ++c) {
      float value = from[c] * factor;
      uint32_t bits;
      __builtin_memcpy(&bits, &value, sizeof(bits));
      uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
      bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
      to[c] = static_cast<uint16_t>(isNan ? (bits >> 16) | 0x40u : rounded);
    }
  }
}

/// to[c][i] = rows[i][c] * factor for kTile columns i; those past `count` are
/// zero.
void transposeRows(Matrix rows, int64_t count, int64_t dim, float factor,
                   float *to) {
  for (int64_t i = 0; i < kTile; i += kLanes) {
    int64_t c = 0;
    if (i + kLanes <= count)
      for (; c + kLanes <= dim; c += kLanes) {
        Floats block[kLanes];
#pragma GCC unroll 16
        for (int j = 0; j < kLanes; ++j)
          block[j] = load(rows.data + (i + j) * rows.stride + c);
        transpose(block);
#pragma GCC unroll 16
        for (int j = 0; j < kLanes; ++j)
          store(to + (c + j) * kTile + i, block[j] * factor);
      }
    for (; c < dim; ++c)
      for (int64_t j = i; j < i + kLanes; ++j)
        to[c * kTile + j] =
            j < count ? rows.data[j * rows.stride + c] * factor : 0.0f;
  }
}

/// Bit j says whether dropout keeps element `first` + j, for kTile elements:
/// 17 blocks of four draws at most.
uint64_t keptBits(uint64_t key, uint64_t first, uint32_t threshold) {
  constexpr int kBlocks = 16;
  uint32_t c0[kBlocks], c1[kBlocks], c2[kBlocks], c3[kBlocks];
  uint64_t block = first >> 2;
  for (int i = 0; i < kBlocks; ++i) {
    c0[i] = static_cast<uint32_t>(block + i);
    c1[i] = static_cast<uint32_t>((block + i) >> 32);
    c2[i] = c3[i] = 0;
  }
  uint32_t k0 = static_cast<uint32_t>(key);
  uint32_t k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kBlocks; ++i) {
      uint64_t p0 = uint64_t{0xD2511F53u} * c0[i];
      uint64_t p1 = uint64_t{0xCD9E8D57u} * c2[i];
      c0[i] = static_cast<uint32_t>(p1 >> 32) ^ c1[i] ^ k0;
      c2[i] = static_cast<uint32_t>(p0 >> 32) ^ c3[i] ^ k1;
      c1[i] = static_cast<uint32_t>(p1);
      c3[i] = static_cast<uint32_t>(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  uint64_t bits = 0;
  for (int i = 0; i < kBlocks; ++i) {
    uint64_t four = (c0[i] >= threshold ? 1 : 0) |
                    (c1[i] >= threshold ? 2 : 0) |
                    (c2[i] >= threshold ? 4 : 0) | (c3[i] >= threshold ? 8 : 0);
    bits |= four << (4 * i);
  }
  int shift = static_cast<int>(first & 3);
  if (shift == 0)
    return bits;
  uint32_t words[4];
  nlprt_philox(key, block + kBlocks, words);
  uint64_t four = 0;
  for (int i = 0; i < shift; ++i)
    four |= static_cast<uint64_t>(words[i] >= threshold) << i;
  return bits >> shift | four << (64 - shift);
}

/// keptBits of `queries` rows of the tile at (query, key) of one head.
void keptTile(const AttentionJob &job, int64_t batch, int64_t head,
              int64_t query, int64_t key, int64_t queries, uint64_t *bits) {
  uint64_t row = ((job.firstSequence + batch) * job.heads + head) * job.queries;
  for (int64_t i = 0; i < queries; ++i)
    bits[i] = keptBits(job.dropKey, (row + query + i) * job.keys + key,
                       job.dropThreshold);
}

} // namespace
} // namespace nlprt

#endif // NLPRT_KERNELS_ATTENTION_TILEROWS_H
