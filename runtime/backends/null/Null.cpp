//===- Null.cpp - The reference backend's table -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The template of a backend. Each entry point checks what it was given, runs
// the reference kernel that stands beside the fast one in runtime/kernels, and
// needs no workspace.
//
//===----------------------------------------------------------------------===//

#include "kernels/common/Reference.h"
#include "nlprt/backend.h"

using namespace nlprt;

/// The checks that every kernel makes before it reads a buffer.
template <typename Params>
static nlprt_status check(const Params *params, void *const *buffers,
                          bool isValid) {
  if (!params || !buffers || !isValid)
    return NLPRT_INVALID;
  return isSupported(params->dtype) ? NLPRT_OK : NLPRT_UNSUPPORTED;
}

static nlprt_status runParallel(nlprt_context *, const nlprt_site *,
                                nlprt_body body, int64_t items,
                                void *const *buffers) {
  if (items > 0)
    body(0, items, buffers);
  return NLPRT_OK;
}

static nlprt_status run_matmul(const nlprt_matmul_params *p,
                               void *const *buffers) {
  nlprt_status status = check(p, buffers,
                              p && areSizes(p->batch, p->m, p->n, p->k) &&
                                  !(p->has_bias && p->accumulate));
  if (status == NLPRT_OK)
    matmulReference(*p, buffers);
  return status;
}

/// Sizes and mask of attention, forward or backward.
template <typename Params> static bool isAttention(const Params *p) {
  if (!p || !areSizes(p->batch, p->queries, p->heads, p->dim) ||
      !areSizes(p->batch, p->keys, p->kv_heads, p->dim) ||
      p->heads % p->kv_heads != 0)
    return false;
  bool hasWindow = p->mask == 2, isMasked = p->mask == 1 || hasWindow;
  return (p->mask == 0 || isMasked) && (!isMasked || p->queries == p->keys) &&
         (!hasWindow || p->window > 0) && p->dropout >= 0.0 && p->dropout < 1.0;
}

static nlprt_status run_attention(const nlprt_attention_params *p,
                                  void *const *buffers) {
  nlprt_status status = check(p, buffers, isAttention(p));
  if (status == NLPRT_OK)
    attentionReference(*p, buffers);
  return status;
}

static nlprt_status run_attention_grad(const nlprt_attention_grad_params *p,
                                       void *const *buffers) {
  nlprt_status status = check(p, buffers, isAttention(p));
  if (status == NLPRT_OK)
    attentionGradReference(*p, buffers);
  return status;
}

/// Sizes of a table, and that every id names a row of it.
template <typename Params>
static bool isLookup(const Params *p, void *const *buffers) {
  if (!p || !buffers || !areSizes(p->rows, p->width) ||
      !areSizes(p->count, p->width))
    return false;
  const auto *ids = static_cast<const int32_t *>(buffers[1]);
  for (int64_t i = 0; i < p->count; ++i)
    if (ids[i] < 0 || ids[i] >= p->rows)
      return false;
  return true;
}

static nlprt_status run_embedding(const nlprt_embedding_params *p,
                                  void *const *buffers) {
  nlprt_status status = check(p, buffers, isLookup(p, buffers));
  if (status == NLPRT_OK)
    embeddingReference(*p, buffers);
  return status;
}

static nlprt_status run_embedding_grad(const nlprt_embedding_grad_params *p,
                                       void *const *buffers) {
  nlprt_status status = check(p, buffers, isLookup(p, buffers));
  if (status == NLPRT_OK)
    embeddingGradReference(*p, buffers);
  return status;
}

#define NLPRT_INT(name)
#define NLPRT_REAL(name)
#define NLPRT_KERNEL(name, signature, fields)                                  \
  [](nlprt_context *, const nlprt_site *, const nlprt_##name##_params *params, \
     void *const *buffers) { return run_##name(params, buffers); },            \
      [](const nlprt_##name##_params *, int64_t) -> int64_t { return 0; },

static constexpr nlprt_backend table = {
    "null",
    runParallel,
#include "nlprt/abi.def"
};

const nlprt_backend *nlprt_null_backend() { return &table; }
