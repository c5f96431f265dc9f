//===- Attention.h - What attention's parts share ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The job of one call, cut into items by shape alone, and the table of item
// functions that each instruction set provides (Attention<Isa>.cpp compile the
// same templates with their own flags, so these headers use no library code
// that a linker could merge across them).
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_ATTENTION_ATTENTION_H
#define NLPRT_KERNELS_ATTENTION_ATTENTION_H

#include "nlprt/nlprt.h"

#include <stdint.h>

/// Inlined everywhere: no copy of it is left for a linker to merge.
#define NLPRT_INLINE inline __attribute__((always_inline))

namespace nlprt {

/// Queries and keys of a tile; dropout keeps its bits of a row in 64.
inline constexpr int64_t kTile = 64;
/// Scratch rows are padded to this many floats: the widest vector.
inline constexpr int64_t kPadding = 16;

struct AttentionJob;

/// Runs one item with a thread's slice of scratch.
using AttentionItem = void(const AttentionJob &job, int64_t item,
                           float *scratch);

/// One call, forward or backward.
struct AttentionJob {
  AttentionItem *run;
  int64_t batch, queries, keys, heads, kvHeads, dim;
  int64_t window; // admits t - window < s <= t; unmasked: isMasked is false
  bool isMasked, isBf16;
  float scale;

  bool hasDropout;
  uint64_t dropKey, firstSequence;
  uint32_t dropThreshold;
  float keepScale;

  int64_t paddedDim, queryTiles, keyTiles;
  int64_t splits;         // backward: items that share a key head
  bool isQueryGradDirect; // accumulated in the result itself

  const void *query, *key, *value, *out, *outGrad; // out: backward only
  void *result;                                    // forward
  void *queryGrad, *keyGrad, *valueGrad;
  float *lse;      // forward writes, backward reads
  float *partials; // backward: query gradients, one for each split
  char *scratch;   // one slice for each thread
  int64_t sliceBytes;

  NLPRT_INLINE int64_t groupSize() const { return heads / kvHeads; }
  NLPRT_INLINE int64_t queryStride() const { return heads * dim; }
  NLPRT_INLINE int64_t keyStride() const { return kvHeads * dim; }
};

struct AttentionKernels {
  /// Item: (batch, head, query tile).
  AttentionItem *forward;
  /// Item: (batch, key head, split of the key tiles).
  AttentionItem *backward;
};

extern const AttentionKernels kGenericAttention;
extern const AttentionKernels kAvx2Attention;   // x86-64 only
extern const AttentionKernels kAvx512Attention; // x86-64 only

/// The kernels that run on this CPU, best first: from `rank` 0 until null.
const AttentionKernels *usableAttention(int rank);

/// nlprt_attention and nlprt_attention_grad with given kernels.
nlprt_status attentionBy(const AttentionKernels &kernels,
                         nlprt_context *context, const nlprt_site *site,
                         const nlprt_attention_params *params,
                         void *const *buffers);
nlprt_status attentionGradBy(const AttentionKernels &kernels,
                             nlprt_context *context, const nlprt_site *site,
                             const nlprt_attention_grad_params *params,
                             void *const *buffers);

/// Scratch of one item, in floats from the start of a thread's slice. Offsets
/// are multiples of 16 floats.
struct ForwardScratch {
  int64_t query, queryT, key, value, score, out, most, sum, factor, floats;

  NLPRT_INLINE explicit ForwardScratch(int64_t paddedDim) {
    int64_t rows = kTile * paddedDim;
    query = 0;
    queryT = query + rows;
    key = queryT + rows;
    value = key + rows;
    score = value + rows;
    out = score + kTile * kTile;
    most = out + rows;
    sum = most + kTile;
    factor = sum + kTile;
    floats = factor + kTile;
  }
};

struct BackwardScratch {
  int64_t query, outGrad, key, value, keyT, valueT, keyGrad, valueGrad;
  int64_t weight, scoreGrad, lse, delta, queryGrad, floats;

  /// `rows`: queries of one head; `gradRows`: rows of query gradient that the
  /// thread keeps (0 where they are accumulated elsewhere).
  NLPRT_INLINE BackwardScratch(int64_t paddedDim, int64_t rows,
                               int64_t groupSize, int64_t gradRows) {
    int64_t tile = kTile * paddedDim;
    query = 0;
    outGrad = query + tile;
    key = outGrad + tile;
    value = key + tile;
    keyT = value + tile;
    valueT = keyT + tile;
    keyGrad = valueT + tile;
    valueGrad = keyGrad + tile;
    weight = valueGrad + tile;
    scoreGrad = weight + kTile * kTile;
    lse = scoreGrad + kTile * kTile;
    int64_t perRow = (groupSize * rows + kPadding - 1) / kPadding * kPadding;
    delta = lse + perRow;
    queryGrad = delta + perRow;
    floats = queryGrad + gradRows * paddedDim;
  }
};

} // namespace nlprt

#endif // NLPRT_KERNELS_ATTENTION_ATTENTION_H
