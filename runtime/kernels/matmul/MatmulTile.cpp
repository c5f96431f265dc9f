//===- MatmulTile.cpp - oneDNN products of tiles ----------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 goes to oneDNN's sgemm, which makes no objects; bf16 to a primitive. Both
// split their work over threads in ways that depend on the number of threads,
// so a tile runs on one.
//
//===----------------------------------------------------------------------===//

#include "MatmulTile.h"

#include "../common/Common.h"
#include "MatmulPrimitive.h"
#include "OneThread.h"
#include "PackMemory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <dnnl.h>
#include <map>
#include <mutex>
#include <optional>

namespace nlprt {

class Tile {
public:
  Tile(const TileShape &shape, std::unique_ptr<TilePrimitive> primitive)
      : shape(shape), primitive(std::move(primitive)) {}

  const TileShape shape;
  const std::unique_ptr<TilePrimitive> primitive; // null for f32
  std::atomic<bool> hasRun = false; // what stays of a first run has been made
};

namespace {

/// All tiles of the process. Entries are never removed: a program uses a fixed
/// set of shapes.
class TileCache {
public:
  Tile *find(const TileShape &shape) {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = tiles.find(shape); found != tiles.end())
      return found->second.get();
    std::unique_ptr<TilePrimitive> primitive;
    if (shape.dtype != NLPRT_F32 && !(primitive = makePrimitive(shape)))
      return nullptr;
    auto tile = std::make_unique<Tile>(shape, std::move(primitive));
    return (tiles[shape] = std::move(tile)).get();
  }

private:
  std::mutex mutex;
  std::map<TileShape, std::unique_ptr<Tile>> tiles;
};

/// What sgemm asks for, or more. Read off oneDNN 2.6.3 on AVX-512, which asks
/// for most (docs/Rationale/Runtime.md): where it packs, blocks of at most 384
/// of k, of all of n in units of 48 and of at most 384 of m; other instruction
/// sets take smaller ones. The tests count requests that do not fit.
int64_t packBytes(const TileShape &shape) {
  constexpr int64_t kInPlaceBytes = 73'984, kFixedBytes = 16'640;
  constexpr int64_t kMinBlock = 128, kMaxBlock = 384;
  int64_t block = std::clamp(shape.k, kMinBlock, kMaxBlock) + 1;
  int64_t rows = std::min(alignUp(shape.m, 16), kMaxBlock);
  int64_t packed = kFixedBytes + 4 * block * (rows + alignUp(shape.n, 48));
  constexpr int64_t kPage = 4096; // the strictest alignment asked for
  return std::max(kInPlaceBytes, packed) + kPage;
}

bool runSingle(Tile &tile, const TileOperands &operands) {
  const TileShape &shape = tile.shape;
  auto *out = static_cast<float *>(operands.out);
  if (shape.hasBias)
    for (int64_t row = 0; row < shape.m; ++row)
      std::memcpy(out + row * shape.ldc, operands.bias,
                  static_cast<size_t>(shape.n) * sizeof(float));
  std::optional<PackMemory> memory;
  if (tile.hasRun.load(std::memory_order_acquire))
    memory.emplace(operands.workspace, packBytes(shape));
  OneThread guard;
  dnnl_status_t status = dnnl_sgemm(
      shape.transA ? 'T' : 'N', shape.transB ? 'T' : 'N', shape.m, shape.n,
      shape.k, 1.0f, static_cast<float *>(operands.a), shape.lda,
      static_cast<float *>(operands.b), shape.ldb,
      shape.hasBias || shape.accumulate ? 1.0f : 0.0f, out, shape.ldc);
  tile.hasRun.store(true, std::memory_order_release);
  return status == dnnl_success;
}

} // namespace

Tile *getTile(const TileShape &shape) {
  static TileCache cache;
  try {
    return cache.find(shape);
  } catch (const std::exception &) { // dnnl::error, std::bad_alloc
    return nullptr;
  }
}

int64_t getTileWorkspaceBytes(const TileShape &shape) {
  if (shape.dtype == NLPRT_F32)
    return packBytes(shape);
  const Tile *tile = getTile(shape);
  return tile ? scratchBytes(*tile->primitive) : -1;
}

bool runTile(Tile &tile, const TileOperands &operands) {
  return tile.primitive ? runPrimitive(*tile.primitive, operands)
                        : runSingle(tile, operands);
}

} // namespace nlprt
