//===- MatmulPrimitive.h - A oneDNN primitive of a tile ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_MATMUL_MATMULPRIMITIVE_H
#define NLPRT_KERNELS_MATMUL_MATMULPRIMITIVE_H

#include "MatmulTile.h"

#include <dnnl.hpp>
#include <memory>

namespace nlprt {

class TilePrimitive {
public:
  dnnl::matmul::primitive_desc descriptor;
  dnnl::matmul primitive;
};

/// The single-threaded bf16 primitive of `shape`; null if oneDNN has none on
/// this machine. Throws dnnl::error.
std::unique_ptr<TilePrimitive> makePrimitive(const TileShape &shape);

/// Bytes of scratchpad that a run needs.
int64_t scratchBytes(const TilePrimitive &tile);

/// Runs the primitive on the calling thread; false if oneDNN fails.
bool runPrimitive(const TilePrimitive &tile, const TileOperands &operands);

} // namespace nlprt

#endif // NLPRT_KERNELS_MATMUL_MATMULPRIMITIVE_H
