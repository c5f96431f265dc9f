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
/// `stride` elements apart, as f32 and padded with zeros: where they lie if
/// they are that already, else in `scratch`.
Matrix loadRows(const AttentionJob &job, const void *tensor, int64_t first,
                int64_t stride, int64_t count, float *scratch) {
  int64_t dim = job.dim, padded = job.paddedDim;
  if (!job.isBf16 && dim == padded)
    return {static_cast<const float *>(tensor) + first, stride};
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

/// Four draws of each of 16 blocks of Philox (counter_random.h), a block in
/// each lane; only the low halves of lanes count.
NLPRT_INLINE void drawBlocks(uint64_t key, uint64_t block,
                             Longs (&draws)[4][32 / kLanes]) {
  constexpr int kVectors = 32 / kLanes;
  for (int v = 0; v < kVectors; ++v) {
    draws[0][v] = longLaneNumbers() + (block + v * (kLanes / 2));
    draws[1][v] = draws[0][v] >> 32;
    draws[2][v] = draws[3][v] = Longs{};
  }
  uint32_t k0 = static_cast<uint32_t>(key);
  uint32_t k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      Longs p0 = multiplyLow(draws[0][v], 0xD2511F53u);
      Longs p1 = multiplyLow(draws[2][v], 0xCD9E8D57u);
      draws[0][v] = (p1 >> 32) ^ draws[1][v] ^ k0;
      draws[2][v] = (p0 >> 32) ^ draws[3][v] ^ k1;
      draws[1][v] = p1;
      draws[3][v] = p0;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

/// Bit j says whether dropout keeps element `first` + j, for kTile elements.
uint64_t keptBits(uint64_t key, uint64_t first, uint32_t threshold) {
  Longs draws[4][32 / kLanes];
  drawBlocks(key, first >> 2, draws);
  Longs bits = {};
  for (int v = 0; v < 32 / kLanes; ++v) {
    Longs four = {}, lanes = longLaneNumbers() + v * (kLanes / 2);
    for (int word = 0; word < 4; ++word)
      four |= (Longs)((draws[word][v] & 0xffffffffu) >= threshold) &
              (uint64_t{1} << word);
    bits |= four << 4 * lanes;
  }
  uint64_t kept = 0;
  for (int i = 0; i < kLanes / 2; ++i)
    kept |= bits[i];
  int skipped = static_cast<int>(first & 3);
  if (skipped == 0)
    return kept;
  // The row starts within a block: its last elements are in a 17th.
  uint32_t words[4];
  nlprt_philox(key, (first >> 2) + 16, words);
  uint64_t four = 0;
  for (int i = 0; i < skipped; ++i)
    four |= static_cast<uint64_t>(words[i] >= threshold) << i;
  return kept >> skipped | four << (64 - skipped);
}

/// What dropout keeps of a tile: bit j % 32 of word [j / 32][i] for query i and
/// key j.
struct KeptTile {
  uint32_t words[2][kTile] = {};

  /// The tile at (query, key) of one head.
  void draw(const AttentionJob &job, int64_t batch, int64_t head, int64_t query,
            int64_t key, int64_t queries) {
    uint64_t row =
        ((job.firstSequence + batch) * job.heads + head) * job.queries + query;
    for (int64_t i = 0; i < queries; ++i) {
      uint64_t bits =
          keptBits(job.dropKey, (row + i) * job.keys + key, job.dropThreshold);
      words[0][i] = static_cast<uint32_t>(bits);
      words[1][i] = static_cast<uint32_t>(bits >> 32);
    }
  }
  /// `scale` where queries from `query` keep `key`, else 0.
  NLPRT_INLINE Floats alongQueries(int64_t query, int64_t key,
                                   float scale) const {
    Ints bits = loadInts(words[key / 32] + query) >> (key % 32) & 1;
    return bits ? splat(scale) : Floats{};
  }
  /// The same where `query` keeps keys from `key`.
  NLPRT_INLINE Floats alongKeys(int64_t query, int64_t key, float scale) const {
    int32_t word = static_cast<int32_t>(words[key / 32][query] >> (key % 32));
    Ints bits = (Ints{} + word) >> laneNumbers() & 1;
    return bits ? splat(scale) : Floats{};
  }
};

} // namespace
} // namespace nlprt

#endif // NLPRT_KERNELS_ATTENTION_TILEROWS_H
