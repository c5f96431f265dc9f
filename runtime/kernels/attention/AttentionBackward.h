//===- AttentionBackward.h - Gradients of one key head ----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dao, arXiv:2307.08691, algorithm 2: keys outside, queries inside. Scores have
// a row for each query and keys along the vectors, so the transposes (of keys
// and values) are made once for each key tile. An item owns the gradients of
// its keys and values; those of queries grow over key tiles in a fixed order,
// in the result itself or in a partial sum of the item.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_ATTENTION_ATTENTIONBACKWARD_H
#define NLPRT_KERNELS_ATTENTION_ATTENTIONBACKWARD_H

#include "AttentionForward.h"

namespace nlprt {
namespace {

/// Weights and what becomes of them for one pair of tiles.
struct GradTile {
  float *weight;    // [queries][kTile]: scores, then weights after dropout
  float *scoreGrad; // [queries][kTile]: gradients of weights, then of scores
  const float *lse, *delta; // of each query, in units of the scores
  int64_t queries, keys;
  int64_t offset; // first query minus first key
  int64_t window;
  const KeptTile *kept; // or null
  float keepScale;
};

template <bool kIsMasked, bool kHasDropout>
void gradRow(const GradTile &tile, int64_t query) {
  float *weightRow = tile.weight + query * kTile;
  float *gradRow = tile.scoreGrad + query * kTile;
  float lse = tile.lse[query], delta = tile.delta[query];
  int64_t low = tile.offset + query - tile.window; // admits low < key <= high
  int64_t high = tile.offset + query;
  for (int64_t key = 0; key < wholeVectors(tile.keys); key += kLanes) {
    if (kIsMasked && (key > high || key + kLanes - 1 <= low)) {
      store(weightRow + key, Floats{});
      store(gradRow + key, Floats{});
      continue;
    }
    Floats weight = exp2(load(weightRow + key) - lse);
    if (kIsMasked) {
      Ints lanes = laneNumbers() + static_cast<int32_t>(key);
      Ints isIn = (lanes <= static_cast<int32_t>(high)) &
                  (lanes > static_cast<int32_t>(larger(low, -kTile)));
      weight = isIn ? weight : Floats{};
    }
    Floats grad = load(gradRow + key);
    if (kHasDropout) {
      Floats keep = tile.kept->alongKeys(query, key, tile.keepScale);
      store(gradRow + key, weight * (grad * keep - delta));
      store(weightRow + key, weight * keep);
    } else {
      store(gradRow + key, weight * (grad - delta));
      store(weightRow + key, weight);
    }
  }
}

void gradTile(const GradTile &tile, bool isMasked) {
  for (int64_t query = 0; query < tile.queries; ++query)
    if (tile.kept)
      isMasked ? gradRow<true, true>(tile, query)
               : gradRow<false, true>(tile, query);
    else
      isMasked ? gradRow<true, false>(tile, query)
               : gradRow<false, false>(tile, query);
}

struct Rows {
  float *data;
  int64_t stride; // floats between rows
};

/// An item of the backward pass and where its parts lie.
struct BackwardItem {
  const AttentionJob &job;
  float *scratch;
  BackwardScratch at;
  int64_t batch, keyHead, split;
  Matrix keyRows; // of the current key tile

  BackwardItem(const AttentionJob &job, int64_t item, float *scratch)
      : job(job), scratch(scratch),
        at(job.paddedDim, job.queries, job.groupSize(), 0),
        batch(item / job.splits / job.kvHeads),
        keyHead(item / job.splits % job.kvHeads), split(item % job.splits),
        keyRows() {}

  int64_t headOf(int64_t group) const {
    return keyHead * job.groupSize() + group;
  }
  /// First element of a row of a query head, in tensors shaped as query.
  int64_t queryElement(int64_t group, int64_t query) const {
    return (batch * job.queries + query) * job.queryStride() +
           headOf(group) * job.dim;
  }
  /// Gradient of the query rows from `query`.
  Rows queryGrad(int64_t group, int64_t query) const {
    if (job.isQueryGradDirect)
      return {static_cast<float *>(job.queryGrad) + queryElement(group, query),
              job.queryStride()};
    int64_t row = group * job.queries + query;
    if (job.splits == 1)
      return {scratch + at.queryGrad + row * job.paddedDim, job.paddedDim};
    int64_t rows = job.batch * job.heads * job.queries;
    row += (batch * job.heads + headOf(0)) * job.queries;
    return {job.partials + (split * rows + row) * job.paddedDim, job.paddedDim};
  }

  void start();
  void keyTile(int64_t key);
  void tilePair(int64_t group, int64_t query, int64_t key, int64_t keys,
                Start keyStart);
  void finish();
};

/// Zeroes the query gradients and finds lse and delta of each query.
void BackwardItem::start() {
  for (int64_t group = 0; group < job.groupSize(); ++group)
    for (int64_t query = 0; query < job.queries; ++query) {
      Rows grad = queryGrad(group, query);
      fill(grad.data, wholeVectors(job.dim), 0.0f);
      int64_t row = group * job.queries + query;
      float lse =
          job.lse[(batch * job.heads + headOf(group)) * job.queries + query];
      int64_t first = queryElement(group, query);
      Matrix out = loadRows(job, job.out, first, 0, 1, scratch + at.query);
      Matrix outGrad =
          loadRows(job, job.outGrad, first, 0, 1, scratch + at.outGrad);
      Floats sum = {};
      for (int64_t c = 0; c < wholeVectors(job.dim); c += kLanes)
        sum += load(out.data + c) * load(outGrad.data + c);
      float delta = 0.0f;
      for (int i = 0; i < kLanes; ++i)
        delta += sum[i];
      scratch[at.lse + row] = lse * kLog2E;
      scratch[at.delta + row] = delta * job.scale;
    }
}

/// Adds what the queries from `query` give to the gradients of a key tile
/// (which begin from `keyStart`), and the key tile to theirs.
void BackwardItem::tilePair(int64_t group, int64_t query, int64_t key,
                            int64_t keys, Start keyStart) {
  int64_t queries = smaller(kTile, job.queries - query);
  int64_t first = queryElement(group, query), stride = job.queryStride();
  Matrix queryRows =
      loadRows(job, job.query, first, stride, queries, scratch + at.query);
  Matrix outGradRows =
      loadRows(job, job.outGrad, first, stride, queries, scratch + at.outGrad);

  int64_t row = group * job.queries + query;
  GradTile tile{scratch + at.weight,
                scratch + at.scoreGrad,
                scratch + at.lse + row,
                scratch + at.delta + row,
                queries,
                keys,
                query - key,
                job.window,
                nullptr,
                job.keepScale};
  KeptTile kept;
  if (job.hasDropout) {
    kept.draw(job, batch, headOf(group), query, key, queries);
    tile.kept = &kept;
  }
  Band queriesOfKey, keysOfQuery;
  bool isMasked = job.isMasked && (key + keys - 1 > query ||
                                   query + queries - job.window > key);
  if (isMasked) {
    queriesOfKey = {-tile.offset, job.window - tile.offset};
    keysOfQuery = {tile.offset - job.window + 1, tile.offset + 1};
  }

  Matrix weight{tile.weight, kTile}, scoreGrad{tile.scoreGrad, kTile};
  int64_t keyColumns = wholeVectors(keys), columns = wholeVectors(job.dim);
  int64_t padded = job.paddedDim;
  tileProduct<false, Skip::Columns>({queries,
                                     keyColumns,
                                     job.dim,
                                     queryRows,
                                     {scratch + at.keyT, kTile},
                                     tile.weight,
                                     kTile},
                                    keysOfQuery);
  tileProduct<false, Skip::Columns>({queries,
                                     keyColumns,
                                     job.dim,
                                     outGradRows,
                                     {scratch + at.valueT, kTile},
                                     tile.scoreGrad,
                                     kTile},
                                    keysOfQuery);
  gradTile(tile, isMasked);
  tileProduct<true, Skip::Terms>({keys, columns, queries, weight, outGradRows,
                                  scratch + at.valueGrad, padded, keyStart},
                                 queriesOfKey);
  tileProduct<true, Skip::Terms>({keys, columns, queries, scoreGrad, queryRows,
                                  scratch + at.keyGrad, padded, keyStart},
                                 queriesOfKey);
  Rows grad = queryGrad(group, query);
  tileProduct<false, Skip::Terms>({queries, columns, keys, scoreGrad, keyRows,
                                   grad.data, grad.stride, Start::Add},
                                  keysOfQuery);
}

/// All queries that admit a key of the tile from `key`.
void BackwardItem::keyTile(int64_t key) {
  int64_t keys = smaller(kTile, job.keys - key);
  int64_t first =
      (batch * job.keys + key) * job.keyStride() + keyHead * job.dim;
  keyRows =
      loadRows(job, job.key, first, job.keyStride(), keys, scratch + at.key);
  Matrix valueRows = loadRows(job, job.value, first, job.keyStride(), keys,
                              scratch + at.value);
  transposeRows(keyRows, keys, job.dim, job.scale * kLog2E, scratch + at.keyT);
  transposeRows(valueRows, keys, job.dim, job.scale, scratch + at.valueT);

  int64_t begin = 0, end = job.queries;
  if (job.isMasked) {
    begin = key;
    end = smaller(end, key + keys - 1 + job.window);
  }
  for (int64_t group = 0; group < job.groupSize(); ++group)
    for (int64_t query = begin; query < end; query += kTile)
      tilePair(group, query, key, keys,
               group == 0 && query == begin ? Start::Zero : Start::Add);

  storeRows(job, scratch + at.keyGrad, keys, 1.0f, job.keyGrad, first,
            job.keyStride());
  storeRows(job, scratch + at.valueGrad, keys, 1.0f, job.valueGrad, first,
            job.keyStride());
}

/// Writes query gradients that the thread kept to itself.
void BackwardItem::finish() {
  if (job.isQueryGradDirect || job.splits > 1)
    return;
  for (int64_t group = 0; group < job.groupSize(); ++group)
    storeRows(job, queryGrad(group, 0).data, job.queries, 1.0f, job.queryGrad,
              queryElement(group, 0), job.queryStride());
}

/// Splits deal the key tiles forth and back, which evens out causal masks.
void backwardItem(const AttentionJob &job, int64_t index, float *scratch) {
  BackwardItem item(job, index, scratch);
  item.start();
  for (int64_t tile = 0; tile < job.keyTiles; ++tile) {
    int64_t round = tile / job.splits, turn = tile % job.splits;
    if ((round % 2 ? job.splits - 1 - turn : turn) == item.split)
      item.keyTile(tile * kTile);
  }
  item.finish();
}

} // namespace
} // namespace nlprt

#endif // NLPRT_KERNELS_ATTENTION_ATTENTIONBACKWARD_H
