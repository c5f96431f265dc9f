//===- EmbeddingCpu.cpp - Table look-up and its gradient on the CPU -------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Look-up copies rows, by blocks of rows.
//
// The gradient first links, in order, the positions of each id (one pass over
// the ids and one over a table of heads), then writes each row of the result
// once: rows without positions are zeroed by blocks of rows, the others are
// summed by blocks of columns, so that a frequent id does not burden one item.
// Sums are f32 and in the order of positions.
//
//===----------------------------------------------------------------------===//

#include "../common/Common.h"

#include <algorithm>
#include <cstring>

using namespace nlprt;

namespace {

constexpr int64_t kRowBlock = 64;    // rows of an item
constexpr int64_t kColumnBlock = 96; // columns of an item: whole cache lines
constexpr int64_t kIdBlock = 256;    // distinct ids of an item

struct LookupJob {
  const nlprt_embedding_params *params;
  const char *table;
  const int32_t *ids;
  char *out;
};

struct GradJob {
  const nlprt_embedding_grad_params *params;
  const char *grad;
  char *out;
  const int32_t *heads; // [rows]: first position of the id, or -1
  const int32_t *next;  // [count]: next position of the same id, or -1
  const int32_t *named; // [namedCount]: ids that occur, by first position
  int64_t namedCount;
};

} // namespace

template <typename Params>
static nlprt_status checkCall(const Params *params, void *const *buffers) {
  if (!params || !areSizes(params->rows, params->width, 8) ||
      !areSizes(params->count, params->width, 8) || params->rows > INT32_MAX ||
      params->count > INT32_MAX)
    return NLPRT_INVALID;
  if (!isSupported(params->dtype))
    return NLPRT_UNSUPPORTED;
  if (!buffers || !buffers[0] || !buffers[1] || !buffers[2])
    return NLPRT_INVALID;
  const auto *ids = static_cast<const int32_t *>(buffers[1]);
  bool areInTable = true;
  for (int64_t i = 0; i < params->count; ++i)
    areInTable &= ids[i] >= 0 && ids[i] < params->rows;
  return areInTable ? NLPRT_OK : NLPRT_INVALID;
}

static void lookUpRows(const LookupJob &job, int64_t item) {
  int64_t rowBytes = job.params->width * elementBytes(job.params->dtype);
  int64_t end = std::min(job.params->count, (item + 1) * kRowBlock);
  for (int64_t i = item * kRowBlock; i < end; ++i)
    std::memcpy(job.out + i * rowBytes, job.table + job.ids[i] * rowBytes,
                rowBytes);
}

static void zeroRows(const GradJob &job, int64_t item) {
  int64_t rowBytes = job.params->width * elementBytes(job.params->dtype);
  int64_t end = std::min(job.params->rows, (item + 1) * kRowBlock);
  for (int64_t row = item * kRowBlock; row < end; ++row)
    if (job.heads[row] < 0)
      std::memset(job.out + row * rowBytes, 0, rowBytes);
}

/// Adds columns [begin, begin + count) of all gradients of one row.
static void sumRow(const GradJob &job, int64_t row, int64_t begin,
                   int64_t count) {
  int64_t width = job.params->width;
  bool isF32 = job.params->dtype == NLPRT_F32;
  float sum[kColumnBlock] = {};
  for (int32_t i = job.heads[row]; i >= 0; i = job.next[i]) {
    if (isF32) {
      const float *grad =
          reinterpret_cast<const float *>(job.grad) + i * width + begin;
      for (int64_t h = 0; h < count; ++h)
        sum[h] += grad[h];
    } else {
      const uint16_t *grad =
          reinterpret_cast<const uint16_t *>(job.grad) + i * width + begin;
      for (int64_t h = 0; h < count; ++h)
        sum[h] += fromBF16(grad[h]);
    }
  }
  int64_t at = row * width + begin;
  if (isF32)
    std::memcpy(reinterpret_cast<float *>(job.out) + at, sum,
                count * sizeof(float));
  else
    for (int64_t h = 0; h < count; ++h)
      reinterpret_cast<uint16_t *>(job.out)[at + h] = toBF16(sum[h]);
}

static void sumRows(const GradJob &job, int64_t item) {
  int64_t idBlocks = ceilDiv(job.namedCount, kIdBlock);
  int64_t begin = item / idBlocks * kColumnBlock;
  int64_t count = std::min(kColumnBlock, job.params->width - begin);
  int64_t first = item % idBlocks * kIdBlock;
  int64_t last = std::min(job.namedCount, first + kIdBlock);
  for (int64_t i = first; i < last; ++i)
    sumRow(job, job.named[i], begin, count);
}

int64_t nlprt_embedding_workspace(const nlprt_embedding_params *, int64_t) {
  return 0;
}

nlprt_status nlprt_embedding(nlprt_context *context, const nlprt_site *site,
                             const nlprt_embedding_params *params,
                             void *const *buffers) {
  if (nlprt_status status = checkCall(params, buffers); status != NLPRT_OK)
    return status;
  LookupJob job{params, static_cast<const char *>(buffers[0]),
                static_cast<const int32_t *>(buffers[1]),
                static_cast<char *>(buffers[2])};
  return parallelItems<lookUpRows>(context, site, job,
                                   ceilDiv(params->count, kRowBlock));
}

int64_t
nlprt_embedding_grad_workspace(const nlprt_embedding_grad_params *params,
                               int64_t) {
  if (!params || !areSizes(params->rows, 16) || !areSizes(params->count, 16))
    return -1;
  return (params->rows + 2 * params->count) * sizeof(int32_t) + kAlignment;
}

nlprt_status nlprt_embedding_grad(nlprt_context *context,
                                  const nlprt_site *site,
                                  const nlprt_embedding_grad_params *params,
                                  void *const *buffers) {
  if (nlprt_status status = checkCall(params, buffers); status != NLPRT_OK)
    return status;
  if (!buffers[3])
    return NLPRT_INVALID;
  const auto *ids = static_cast<const int32_t *>(buffers[1]);
  auto *heads = reinterpret_cast<int32_t *>(alignPointer(buffers[3]));
  int32_t *next = heads + params->rows;
  int32_t *named = next + params->count;
  std::fill_n(heads, params->rows, -1);
  int64_t namedCount = 0;
  for (int64_t i = params->count - 1; i >= 0; --i) {
    if (heads[ids[i]] < 0)
      named[namedCount++] = ids[i];
    next[i] = heads[ids[i]];
    heads[ids[i]] = static_cast<int32_t>(i);
  }

  GradJob job{params,
              static_cast<const char *>(buffers[0]),
              static_cast<char *>(buffers[2]),
              heads,
              next,
              named,
              namedCount};
  nlprt_status status = parallelItems<zeroRows>(
      context, site, job, ceilDiv(params->rows, kRowBlock));
  if (status != NLPRT_OK)
    return status;
  return parallelItems<sumRows>(context, site, job,
                                ceilDiv(params->width, kColumnBlock) *
                                    ceilDiv(namedCount, kIdBlock));
}
