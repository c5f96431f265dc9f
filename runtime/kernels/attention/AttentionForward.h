//===- AttentionForward.h - One query tile of flash attention ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dao, arXiv:2307.08691, algorithm 1. Scores are computed transposed, a row for
// each key and queries along the vectors: maximum, sum and rescaling of a query
// then need nothing across lanes, and only the query tile is ever transposed.
// Scores are in units of log 2.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_ATTENTION_ATTENTIONFORWARD_H
#define NLPRT_KERNELS_ATTENTION_ATTENTIONFORWARD_H

#include "TileRows.h"

#include <math.h>

namespace nlprt {
namespace {

/// Stands for minus infinity where a difference must not be NaN.
constexpr float kVeryLow = -1e30f;
constexpr float kLog2E = 1.44269504088896340736f;
constexpr float kLn2 = 0.693147180559945309417f;

/// A tile of scores [keys][kTile queries] and what is known of its queries.
struct ScoreTile {
  float *score;
  float *most, *sum, *factor; // of each query
  int64_t queries, keys;
  int64_t offset; // first query minus first key
  int64_t window;
  const KeptTile *kept; // or null
  float keepScale;
};

/// Lanes of key `key` that the mask admits, for queries from `query`.
NLPRT_INLINE Ints admitted(const ScoreTile &tile, int64_t key, int64_t query) {
  int32_t distance = static_cast<int32_t>(tile.offset + query - key);
  Ints lanes = laneNumbers() + distance;
  int32_t window = static_cast<int32_t>(smaller(tile.window, kUnbounded >> 10));
  return (lanes >= 0) & (lanes < window);
}

/// Turns the scores of the queries of one vector into weights: updates the
/// maximum and the sum, and sets the factor by which earlier sums shrink.
template <bool kIsMasked, bool kHasDropout>
void softmaxColumn(const ScoreTile &tile, int64_t query) {
  float *column = tile.score + query;
  int64_t begin = 0, end = tile.keys;
  if (kIsMasked) {
    begin = larger(0, tile.offset + query - tile.window + 1);
    end = smaller(end, tile.offset + query + kLanes);
  }
  Floats before = load(tile.most + query);
  Floats most[4] = {before, before, before, before};
  auto scoreAt = [&](int64_t key) {
    Floats score = load(column + key * kTile);
    if (kIsMasked)
      score = admitted(tile, key, query) ? score : splat(kVeryLow);
    return score;
  };
  int64_t key = begin;
  for (; key + 4 <= end; key += 4)
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i)
      most[i] = maximum(most[i], scoreAt(key + i));
  for (; key < end; ++key)
    most[0] = maximum(most[0], scoreAt(key));
  Floats now = maximum(maximum(most[0], most[1]), maximum(most[2], most[3]));

  if (kIsMasked)
    for (key = 0; key < smaller(begin, tile.keys); ++key)
      store(column + key * kTile, Floats{});
  Floats sum = {};
  for (key = begin; key < end; ++key) {
    Floats weight = exp2(load(column + key * kTile) - now);
    if (kIsMasked)
      weight = admitted(tile, key, query) ? weight : Floats{};
    sum += weight;
    if (kHasDropout)
      weight *= tile.kept->alongQueries(query, key, tile.keepScale);
    store(column + key * kTile, weight);
  }
  if (kIsMasked)
    for (key = larger(0, end); key < tile.keys; ++key)
      store(column + key * kTile, Floats{});

  Floats factor = exp2(before - now);
  store(tile.most + query, now);
  store(tile.sum + query, load(tile.sum + query) * factor + sum);
  store(tile.factor + query, factor);
}

void softmaxTile(const ScoreTile &tile, bool isMasked) {
  for (int64_t query = 0; query < wholeVectors(tile.queries); query += kLanes)
    if (tile.kept)
      isMasked ? softmaxColumn<true, true>(tile, query)
               : softmaxColumn<false, true>(tile, query);
    else
      isMasked ? softmaxColumn<true, false>(tile, query)
               : softmaxColumn<false, false>(tile, query);
}

/// Query tile of an item: ends are taken in turn, so that any run of items has
/// about the same number of admitted keys.
NLPRT_INLINE int64_t foldedTile(int64_t index, int64_t tiles) {
  return index % 2 ? tiles - 1 - index / 2 : index / 2;
}

void forwardItem(const AttentionJob &job, int64_t item, float *scratch) {
  ForwardScratch at(job.paddedDim);
  int64_t head = item / job.queryTiles % job.heads;
  int64_t batch = item / job.queryTiles / job.heads;
  int64_t query = foldedTile(item % job.queryTiles, job.queryTiles) * kTile;
  int64_t queries = smaller(kTile, job.queries - query);
  int64_t firstQuery =
      (batch * job.queries + query) * job.queryStride() + head * job.dim;

  Matrix rows = loadRows(job, job.query, firstQuery, job.queryStride(), queries,
                         scratch + at.query);
  transposeRows(rows, queries, job.dim, job.scale * kLog2E,
                scratch + at.queryT);
  fill(scratch + at.most, kTile, kVeryLow);
  fill(scratch + at.sum, kTile, 0.0f);

  KeptTile kept;
  int64_t begin = 0, end = job.keys;
  if (job.isMasked) {
    begin = larger(0, query - job.window + 1) / kTile * kTile;
    end = query + queries;
  }
  for (int64_t key = begin; key < end; key += kTile) {
    int64_t keys = smaller(kTile, job.keys - key);
    int64_t firstKey = (batch * job.keys + key) * job.keyStride() +
                       head / job.groupSize() * job.dim;
    Matrix keyRows = loadRows(job, job.key, firstKey, job.keyStride(), keys,
                              scratch + at.key);
    Matrix valueRows = loadRows(job, job.value, firstKey, job.keyStride(), keys,
                                scratch + at.value);
    ScoreTile tile{scratch + at.score,  scratch + at.most, scratch + at.sum,
                   scratch + at.factor, queries,           keys,
                   query - key,         job.window,        nullptr,
                   job.keepScale};
    if (job.hasDropout) {
      kept.draw(job, batch, head, query, key, queries);
      tile.kept = &kept;
    }
    // Queries that a key needs, and keys that a query needs.
    Band queriesOfKey, keysOfQuery;
    bool isMasked = job.isMasked && (key + keys - 1 > query ||
                                     query + queries - job.window > key);
    if (isMasked) {
      queriesOfKey = {-tile.offset, job.window - tile.offset};
      keysOfQuery = {tile.offset - job.window + 1, tile.offset + 1};
    }
    Product scores{keys,    wholeVectors(queries),        job.dim,
                   keyRows, {scratch + at.queryT, kTile}, scratch + at.score,
                   kTile};
    tileProduct<false, Skip::Columns>(scores, queriesOfKey);
    softmaxTile(tile, isMasked);
    Product out{queries,
                wholeVectors(job.dim),
                keys,
                {scratch + at.score, kTile},
                valueRows,
                scratch + at.out,
                job.paddedDim,
                key == begin ? Start::Zero : Start::Scale,
                scratch + at.factor};
    tileProduct<true, Skip::Terms>(out, keysOfQuery);
  }

  float *lse = job.lse + (batch * job.heads + head) * job.queries + query;
  for (int64_t i = 0; i < queries; ++i) {
    float sum = scratch[at.sum + i];
    lse[i] = (scratch[at.most + i] + log2f(sum)) * kLn2;
    storeRows(job, scratch + at.out + i * job.paddedDim, 1, 1.0f / sum,
              job.result, firstQuery + i * job.queryStride(), 0);
  }
}

} // namespace
} // namespace nlprt

#endif // NLPRT_KERNELS_ATTENTION_ATTENTIONFORWARD_H
