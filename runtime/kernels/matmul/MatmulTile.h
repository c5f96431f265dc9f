//===- MatmulTile.h - oneDNN products of tiles ------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_MATMUL_MATMULTILE_H
#define NLPRT_KERNELS_MATMUL_MATMULTILE_H

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

/// A product that is ready to run, kept for the life of the process.
class Tile;

/// The tile of `shape`, made on first use; null if oneDNN has no such product
/// on this machine.
Tile *getTile(const TileShape &shape);

/// Bytes that a thread needs to run a tile of `shape`, or -1 if oneDNN has no
/// such product here.
int64_t getTileWorkspaceBytes(const TileShape &shape);

/// Pointers to the first elements of a tile's operands, and the workspace.
struct TileOperands {
  void *a, *b, *bias, *out, *workspace;
};

/// Runs the tile on the calling thread; false if oneDNN fails.
bool runTile(Tile &tile, const TileOperands &operands);

} // namespace nlprt

#endif // NLPRT_KERNELS_MATMUL_MATMULTILE_H
