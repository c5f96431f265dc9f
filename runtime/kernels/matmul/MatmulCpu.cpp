//===- MatmulCpu.cpp - Matrix products on the CPU ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts the output into tiles chosen by shape alone and runs each as a
// single-threaded oneDNN product over the whole of k. The order of every sum is
// thus the same with any number of threads.
//
// Tiles are large enough that oneDNN's packing of an operand pays (it copies a
// transposed one, once per tile), and small enough to give 16 items, unless an
// item would become too short to be worth a hand-over.
//
//===----------------------------------------------------------------------===//

#include "../common/Common.h"
#include "MatmulTile.h"

#include <algorithm>
#include <atomic>

using namespace nlprt;

namespace {

constexpr int64_t kWantedItems = 16;
constexpr int64_t kMinItemFlops = int64_t{1} << 22;
constexpr int64_t kMinTile = 64;

struct Tiling {
  int64_t tileM, tileN; // the last tile of a row or column may be smaller
  int64_t tilesM, tilesN;
};

struct Job {
  const nlprt_matmul_params *params;
  Tiling tiling;
  Tile *tiles[2][2];      // [last row][last column]
  int64_t workspaceBytes; // of one thread
  void *const *buffers;
  std::atomic<bool> *failed;
};

} // namespace

/// Equal parts of `size`, each a multiple of `unit` and at most about `tile`.
static int64_t evenTile(int64_t size, int64_t tile, int64_t unit) {
  int64_t parts = ceilDiv(size, tile);
  return std::min(size, alignUp(ceilDiv(size, parts), unit));
}

static Tiling chooseTiling(const nlprt_matmul_params &params) {
  int64_t tileM = std::min<int64_t>(params.m, params.trans_b ? 512 : 256);
  int64_t tileN = std::min<int64_t>(params.n, 384);
  auto items = [&] {
    return params.batch * ceilDiv(params.m, tileM) * ceilDiv(params.n, tileN);
  };
  while (items() < kWantedItems && std::max(tileM, tileN) > kMinTile &&
         tileM * tileN * params.k >= kMinItemFlops) {
    int64_t &larger = tileM >= tileN ? tileM : tileN;
    larger = std::max(kMinTile, ceilDiv(larger, 2));
  }
  tileM = evenTile(params.m, tileM, 16);
  tileN = evenTile(params.n, tileN, 64);
  return {tileM, tileN, ceilDiv(params.m, tileM), ceilDiv(params.n, tileN)};
}

static TileShape tileShape(const nlprt_matmul_params &params,
                           const Tiling &tiling, bool lastRow, bool lastCol) {
  int64_t m =
      lastRow ? params.m - (tiling.tilesM - 1) * tiling.tileM : tiling.tileM;
  int64_t n =
      lastCol ? params.n - (tiling.tilesN - 1) * tiling.tileN : tiling.tileN;
  return {m,
          n,
          params.k,
          params.trans_a ? params.m : params.k,
          params.trans_b ? params.k : params.n,
          params.n,
          params.trans_a != 0,
          params.trans_b != 0,
          params.has_bias != 0,
          params.accumulate != 0,
          params.dtype};
}

static nlprt_status checkParams(const nlprt_matmul_params *params) {
  if (!params || !areSizes(params->batch, params->m, params->n, 8) ||
      !areSizes(params->batch, params->m, params->k, 8) ||
      !areSizes(params->batch, params->k, params->n, 8) ||
      (params->has_bias && params->accumulate))
    return NLPRT_INVALID;
  return isSupported(params->dtype) ? NLPRT_OK : NLPRT_UNSUPPORTED;
}

/// Bytes that one thread needs, or -1 if there is no such product.
static int64_t maxWorkspaceBytes(const nlprt_matmul_params &params,
                                 const Tiling &tiling) {
  int64_t most = 0;
  for (bool lastRow : {false, true})
    for (bool lastCol : {false, true}) {
      int64_t bytes =
          getTileWorkspaceBytes(tileShape(params, tiling, lastRow, lastCol));
      if (bytes < 0)
        return -1;
      most = std::max(most, bytes);
    }
  return alignUp(most);
}

static void runItem(const Job &job, int64_t item) {
  const nlprt_matmul_params &params = *job.params;
  const Tiling &tiling = job.tiling;
  int64_t tiles = tiling.tilesM * tiling.tilesN;
  int64_t batch = item / tiles, tile = item % tiles;
  // The longer side outside: what belongs to it is read from memory once.
  bool isTall = params.m > params.n;
  int64_t row = isTall ? tile / tiling.tilesN : tile % tiling.tilesM;
  int64_t col = isTall ? tile % tiling.tilesN : tile / tiling.tilesM;

  int64_t bytes = elementBytes(params.dtype);
  int64_t m = row * tiling.tileM, n = col * tiling.tileN;
  auto at = [&](int index, int64_t element) -> void * {
    return static_cast<char *>(job.buffers[index]) + element * bytes;
  };
  TileOperands operands;
  operands.a =
      at(0, batch * params.m * params.k + (params.trans_a ? m : m * params.k));
  operands.b =
      at(1, batch * params.k * params.n + (params.trans_b ? n * params.k : n));
  operands.bias = params.has_bias ? at(2, n) : nullptr;
  operands.out = at(3, (batch * params.m + m) * params.n + n);
  operands.workspace = job.workspaceBytes
                           ? threadSlice(job.buffers[4], job.workspaceBytes)
                           : nullptr;
  Tile *ready = job.tiles[row == tiling.tilesM - 1][col == tiling.tilesN - 1];
  if (!runTile(*ready, operands))
    job.failed->store(true, std::memory_order_relaxed);
}

int64_t nlprt_matmul_workspace(const nlprt_matmul_params *params,
                               int64_t threads) {
  if (checkParams(params) != NLPRT_OK || threads < 1)
    return -1;
  int64_t bytes = maxWorkspaceBytes(*params, chooseTiling(*params));
  return bytes < 0 ? -1 : slicedBytes(bytes, threads);
}

nlprt_status nlprt_matmul(nlprt_context *context, const nlprt_site *site,
                          const nlprt_matmul_params *params,
                          void *const *buffers) {
  if (nlprt_status status = checkParams(params); status != NLPRT_OK)
    return status;
  if (!buffers || !buffers[0] || !buffers[1] || !buffers[3] ||
      (params->has_bias && !buffers[2]))
    return NLPRT_INVALID;

  std::atomic<bool> failed = false;
  Job job{params, chooseTiling(*params), {}, 0, buffers, &failed};
  job.workspaceBytes = maxWorkspaceBytes(*params, job.tiling);
  if (job.workspaceBytes < 0)
    return NLPRT_UNSUPPORTED;
  if (job.workspaceBytes > 0 && !buffers[4])
    return NLPRT_INVALID;
  for (bool lastRow : {false, true})
    for (bool lastCol : {false, true}) {
      Tile *tile = getTile(tileShape(*params, job.tiling, lastRow, lastCol));
      if (!tile)
        return NLPRT_FAILED;
      job.tiles[lastRow][lastCol] = tile;
    }

  nlprt_status status = parallelItems<runItem>(
      context, site, job,
      params->batch * job.tiling.tilesM * job.tiling.tilesN);
  if (status != NLPRT_OK)
    return status;
  return failed ? NLPRT_FAILED : NLPRT_OK;
}
