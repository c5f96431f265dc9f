//===- AttentionCpu.cpp - Flash attention on the CPU ------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks calls, cuts them into items by shape, and picks the instruction set.
//
// Forward items are query tiles of a head. A backward item is a key head, or,
// where there are fewer than kWantedItems of those, a share of its key tiles;
// then each share sums query gradients for itself in the workspace, and a last
// pass adds the shares in order.
//
//===----------------------------------------------------------------------===//

#include "../common/Common.h"
#include "Attention.h"
#include "nlprt/counter_random.h"

#include <algorithm>

using namespace nlprt;

namespace {
constexpr int64_t kWantedItems = 8;
constexpr int64_t kUnboundedWindow = int64_t{1} << 40;
constexpr int64_t kMaxDim = 256;
constexpr int64_t kReduceRows = 64;
} // namespace

const AttentionKernels *nlprt::usableAttention(int rank) {
#if defined(__x86_64__)
  bool hasAvx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (hasAvx512 && rank-- == 0)
    return &kAvx512Attention;
  bool hasAvx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (hasAvx2 && rank-- == 0)
    return &kAvx2Attention;
#endif
  return rank == 0 ? &kGenericAttention : nullptr;
}

/// Sizes leave room for padding, partial sums and bytes of elements.
template <typename Params> static nlprt_status checkParams(const Params *p) {
  constexpr int64_t kRoom = int64_t{1} << 12;
  if (!p || !areSizes(p->batch, p->queries, p->heads, p->dim, kRoom) ||
      !areSizes(p->batch, p->keys, p->kv_heads, p->dim, kRoom) ||
      p->queries > INT32_MAX || p->keys > INT32_MAX ||
      p->heads % p->kv_heads != 0 || p->mask < 0 || p->mask > 2 ||
      (p->mask != 0 && p->queries != p->keys) ||
      (p->mask == 2 ? p->window < 1 : p->window != 0) ||
      !(p->dropout >= 0.0 && p->dropout < 1.0))
    return NLPRT_INVALID;
  return isSupported(p->dtype) && p->dim <= kMaxDim ? NLPRT_OK
                                                    : NLPRT_UNSUPPORTED;
}

template <typename Params>
static AttentionJob makeJob(const Params &p, const void *seed,
                            const void *firstSequence) {
  AttentionJob job = {};
  job.batch = p.batch;
  job.queries = p.queries;
  job.keys = p.keys;
  job.heads = p.heads;
  job.kvHeads = p.kv_heads;
  job.dim = p.dim;
  job.isMasked = p.mask != 0;
  job.window = p.mask == 2 ? std::min(p.window, p.keys) : kUnboundedWindow;
  job.isBf16 = p.dtype == NLPRT_BF16;
  job.scale = static_cast<float>(p.scale);
  job.paddedDim = alignUp(p.dim, kPadding);
  job.queryTiles = ceilDiv(p.queries, kTile);
  job.keyTiles = ceilDiv(p.keys, kTile);
  job.hasDropout = p.dropout > 0.0;
  if (job.hasDropout && seed && firstSequence) {
    job.dropKey = nlprt_mix(*static_cast<const uint64_t *>(seed),
                            static_cast<uint64_t>(p.site));
    job.firstSequence = *static_cast<const uint64_t *>(firstSequence);
    job.dropThreshold = static_cast<uint32_t>(nlprt_drop_threshold(p.dropout));
    job.keepScale = static_cast<float>(1.0 / (1.0 - p.dropout));
  }
  return job;
}

/// Shape-dependent parts of the backward pass.
static void planBackward(AttentionJob &job) {
  int64_t heads = job.batch * job.kvHeads;
  job.splits = heads >= kWantedItems
                   ? 1
                   : std::min(job.keyTiles, ceilDiv(kWantedItems, heads));
  job.isQueryGradDirect =
      job.splits == 1 && !job.isBf16 && job.dim == job.paddedDim;
  int64_t kept = job.splits == 1 && !job.isQueryGradDirect
                     ? job.groupSize() * job.queries
                     : 0;
  BackwardScratch scratch(job.paddedDim, job.queries, job.groupSize(), kept);
  job.sliceBytes = alignUp(scratch.floats * sizeof(float));
}

static int64_t partialBytes(const AttentionJob &job) {
  return job.splits == 1 ? 0
                         : job.splits * job.batch * job.heads * job.queries *
                               job.paddedDim * int64_t{sizeof(float)};
}

static void runItem(const AttentionJob &job, int64_t item) {
  char *slice = threadSlice(job.scratch, job.sliceBytes);
  job.run(job, item, reinterpret_cast<float *>(slice));
}

/// Adds the partial query gradients of kReduceRows rows of [batch, head,
/// query].
static void reduceRows(const AttentionJob &job, int64_t item) {
  int64_t rows = job.batch * job.heads * job.queries;
  int64_t end = std::min(rows, (item + 1) * kReduceRows);
  for (int64_t row = item * kReduceRows; row < end; ++row) {
    int64_t query = row % job.queries, head = row / job.queries % job.heads;
    int64_t batch = row / job.queries / job.heads;
    int64_t first =
        (batch * job.queries + query) * job.queryStride() + head * job.dim;
    float sum[kMaxDim] = {};
    for (int64_t split = 0; split < job.splits; ++split) {
      const float *part = job.partials + (split * rows + row) * job.paddedDim;
      for (int64_t c = 0; c < job.dim; ++c)
        sum[c] += part[c];
    }
    for (int64_t c = 0; c < job.dim; ++c)
      if (job.isBf16)
        static_cast<uint16_t *>(job.queryGrad)[first + c] = toBF16(sum[c]);
      else
        static_cast<float *>(job.queryGrad)[first + c] = sum[c];
  }
}

static bool areGiven(void *const *buffers, int count) {
  for (int i = 0; i < count; ++i)
    if (!buffers[i])
      return false;
  return true;
}

int64_t nlprt_attention_workspace(const nlprt_attention_params *params,
                                  int64_t threads) {
  if (checkParams(params) != NLPRT_OK || threads < 1)
    return -1;
  ForwardScratch scratch(alignUp(params->dim, kPadding));
  return slicedBytes(scratch.floats * sizeof(float), threads);
}

int64_t
nlprt_attention_grad_workspace(const nlprt_attention_grad_params *params,
                               int64_t threads) {
  if (checkParams(params) != NLPRT_OK || threads < 1)
    return -1;
  AttentionJob job = makeJob(*params, nullptr, nullptr);
  planBackward(job);
  int64_t bytes = slicedBytes(job.sliceBytes, threads);
  return bytes < 0 ? -1 : bytes + partialBytes(job);
}

nlprt_status nlprt::attentionBy(const AttentionKernels &kernels,
                                nlprt_context *context, const nlprt_site *site,
                                const nlprt_attention_params *params,
                                void *const *buffers) {
  if (nlprt_status status = checkParams(params); status != NLPRT_OK)
    return status;
  if (!buffers || !areGiven(buffers, 3) || !areGiven(buffers + 5, 3) ||
      (params->dropout > 0.0 && !areGiven(buffers + 3, 2)))
    return NLPRT_INVALID;
  AttentionJob job = makeJob(*params, buffers[3], buffers[4]);
  job.run = kernels.forward;
  job.query = buffers[0];
  job.key = buffers[1];
  job.value = buffers[2];
  job.result = buffers[5];
  job.lse = static_cast<float *>(buffers[6]);
  job.scratch = static_cast<char *>(buffers[7]);
  job.sliceBytes =
      alignUp(ForwardScratch(job.paddedDim).floats * sizeof(float));
  return parallelItems<runItem>(context, site, job,
                                job.batch * job.heads * job.queryTiles);
}

nlprt_status nlprt::attentionGradBy(const AttentionKernels &kernels,
                                    nlprt_context *context,
                                    const nlprt_site *site,
                                    const nlprt_attention_grad_params *params,
                                    void *const *buffers) {
  if (nlprt_status status = checkParams(params); status != NLPRT_OK)
    return status;
  if (!buffers || !areGiven(buffers, 6) || !areGiven(buffers + 8, 4) ||
      (params->dropout > 0.0 && !areGiven(buffers + 6, 2)))
    return NLPRT_INVALID;
  AttentionJob job = makeJob(*params, buffers[6], buffers[7]);
  planBackward(job);
  job.run = kernels.backward;
  job.outGrad = buffers[0];
  job.query = buffers[1];
  job.key = buffers[2];
  job.value = buffers[3];
  job.out = buffers[4];
  job.lse = static_cast<float *>(buffers[5]);
  job.queryGrad = buffers[8];
  job.keyGrad = buffers[9];
  job.valueGrad = buffers[10];
  // Partial sums first, whose size does not depend on threads.
  char *workspace = alignPointer(buffers[11]);
  job.partials = reinterpret_cast<float *>(workspace);
  job.scratch = workspace + partialBytes(job);
  nlprt_status status = parallelItems<runItem>(
      context, site, job, job.batch * job.kvHeads * job.splits);
  if (status != NLPRT_OK || job.splits == 1)
    return status;
  return parallelItems<reduceRows>(
      context, site, job,
      ceilDiv(job.batch * job.heads * job.queries, kReduceRows));
}

nlprt_status nlprt_attention(nlprt_context *context, const nlprt_site *site,
                             const nlprt_attention_params *params,
                             void *const *buffers) {
  return attentionBy(*usableAttention(0), context, site, params, buffers);
}

nlprt_status nlprt_attention_grad(nlprt_context *context,
                                  const nlprt_site *site,
                                  const nlprt_attention_grad_params *params,
                                  void *const *buffers) {
  return attentionGradBy(*usableAttention(0), context, site, params, buffers);
}
