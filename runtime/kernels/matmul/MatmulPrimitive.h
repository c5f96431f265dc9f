//===- MatmulPrimitive.h - Cached oneDNN products of tiles ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_MATMUL_MATMULPRIMITIVE_H
#define NLPRT_KERNELS_MATMUL_MATMULPRIMITIVE_H

#include <compare>
#include <cstdint>

namespace nlprt {

/// A product of one tile: sizes, leading dimensions and what is fused.
struct TileShape {
  int64_t m, n, k;
  int64_t lda, ldb, ldc;
  int64_t transA, transB, hasBias, accumulate, dtype;

  auto operator<=>(const TileShape &) const = default;
};

class TilePrimitive;

/// The single-threaded primitive of `shape`, built on first use and kept for
/// the life of the process; null if oneDNN has none on this machine.
const TilePrimitive *getTilePrimitive(const TileShape &shape);

/// Bytes of scratchpad of `shape`, or -1 if oneDNN has no such primitive.
int64_t getTileScratchBytes(const TileShape &shape);

/// Pointers to the first elements of a tile's operands.
struct TileOperands {
  void *a, *b, *bias, *out, *scratch;
};

/// Runs the primitive on the calling thread; false if oneDNN fails.
bool runTile(const TilePrimitive &tile, const TileOperands &operands);

} // namespace nlprt

#endif // NLPRT_KERNELS_MATMUL_MATMULPRIMITIVE_H
