//===- TileProduct.h - Products of tiles in cache ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C = A B for tiles of at most 64 rows that lie in the L1 or L2 cache: blocks
// of kRows x kColumns vectors of C stay in registers, elements of A are
// broadcast, so only B needs vectors along a row. Masks make parts of a tile
// superfluous; a Band skips them by blocks.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_ATTENTION_TILEPRODUCT_H
#define NLPRT_KERNELS_ATTENTION_TILEPRODUCT_H

#include "Simd.h"

namespace nlprt {
namespace {

#if NLPRT_VECTOR_LANES == 16
constexpr int kRows = 6, kColumns = 4;
#elif NLPRT_VECTOR_LANES == 8
constexpr int kRows = 6, kColumns = 2;
#else
constexpr int kRows = 4, kColumns = 2;
#endif

constexpr int64_t kUnbounded = int64_t{1} << 40;

/// Row `row` of a product needs positions [row + low, row + high).
struct Band {
  int64_t low = -kUnbounded, high = kUnbounded;
};

/// Positions of a Band are columns of C, or the terms of each sum.
enum class Skip { Columns, Terms };

/// What a product starts from: zero, C, or C * factor[row].
enum class Start { Zero, Add, Scale };

struct Matrix {
  const float *data;
  int64_t stride; // floats between rows
};

struct Product {
  int64_t rows, columns, terms; // columns: a multiple of kLanes
  Matrix a, b;
  float *c;
  int64_t cStride;
  Start start = Start::Zero;
  const float *factor = nullptr;
};

/// One block of C: rows from `row`, vectors from column `column`, terms
/// [begin, end).
template <bool kIsTransposed, int kR, int kC>
void blockProduct(const Product &p, int64_t row, int64_t column, int64_t begin,
                  int64_t end) {
  Floats sum[kR][kC] = {};
  const int64_t cStride = p.cStride;
  float *c = p.c + row * cStride + column;
  if (p.start != Start::Zero) {
#pragma GCC unroll 8
    for (int i = 0; i < kR; ++i)
#pragma GCC unroll 8
      for (int j = 0; j < kC; ++j)
        sum[i][j] = load(c + i * cStride + j * kLanes);
  }
  if (p.start == Start::Scale) {
#pragma GCC unroll 8
    for (int i = 0; i < kR; ++i) {
      Floats factor = splat(p.factor[row + i]);
#pragma GCC unroll 8
      for (int j = 0; j < kC; ++j)
        sum[i][j] *= factor;
    }
  }
  int64_t step = kIsTransposed ? 1 : p.a.stride; // from row to row of A
  int64_t next = kIsTransposed ? p.a.stride : 1; // from term to term
  const float *a = p.a.data + row * step + begin * next;
  const float *b = p.b.data + begin * p.b.stride + column;
  for (int64_t k = begin; k < end; ++k, a += next, b += p.b.stride) {
    Floats vector[kC];
#pragma GCC unroll 8
    for (int j = 0; j < kC; ++j)
      vector[j] = load(b + j * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < kR; ++i) {
      Floats element = splat(a[i * step]);
#pragma GCC unroll 8
      for (int j = 0; j < kC; ++j)
        sum[i][j] += element * vector[j];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kR; ++i)
#pragma GCC unroll 8
    for (int j = 0; j < kC; ++j)
      store(c + i * cStride + j * kLanes, sum[i][j]);
}

/// Calls the block of `rows` x `vectors`, at most kR x kC.
template <bool kIsTransposed, int kR = kRows, int kC = kColumns>
NLPRT_INLINE void anyBlock(int64_t rows, int64_t vectors, const Product &p,
                           int64_t row, int64_t column, int64_t begin,
                           int64_t end) {
  if constexpr (kR > 1)
    if (rows < kR)
      return anyBlock<kIsTransposed, kR - 1, kC>(rows, vectors, p, row, column,
                                                 begin, end);
  if constexpr (kC > 1)
    if (vectors < kC)
      return anyBlock<kIsTransposed, kR, kC - 1>(rows, vectors, p, row, column,
                                                 begin, end);
  blockProduct<kIsTransposed, kR, kC>(p, row, column, begin, end);
}

/// Computes what `band` needs of p; with kIsTransposed, A is stored with a row
/// for each term. Columns outside of a band stay as they were; a row without
/// terms is what it starts from.
template <bool kIsTransposed, Skip kSkip>
void tileProduct(const Product &p, Band band) {
  for (int64_t column = 0; column < p.columns; column += kColumns * kLanes)
    for (int64_t row = 0; row < p.rows; row += kRows) {
      int64_t rows = p.rows - row < kRows ? p.rows - row : kRows;
      int64_t low = row + band.low, high = row + rows - 1 + band.high;
      int64_t first = column, begin = 0, end = p.terms;
      int64_t last = column + kColumns * kLanes;
      last = last < p.columns ? last : p.columns;
      if (kSkip == Skip::Columns) {
        if (low > first)
          first = low / kLanes * kLanes;
        if (high < last)
          last = high <= 0 ? 0 : (high + kLanes - 1) / kLanes * kLanes;
      } else {
        begin = low > begin ? low : begin;
        end = high < end ? high : end;
        if (begin >= end && p.start == Start::Zero)
          begin = end = 0;
        else if (begin >= end)
          continue;
      }
      if (first < last)
        anyBlock<kIsTransposed>(rows, (last - first) / kLanes, p, row, first,
                                begin, end);
    }
}

} // namespace
} // namespace nlprt

#endif // NLPRT_KERNELS_ATTENTION_TILEPRODUCT_H
