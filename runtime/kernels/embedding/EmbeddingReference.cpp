//===- EmbeddingReference.cpp - Table look-up by definition -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/Reference.h"

using namespace nlprt;

void nlprt::embeddingReference(const nlprt_embedding_params &params,
                               void *const *buffers) {
  Elements table(buffers[0], params.dtype), out(buffers[2], params.dtype);
  const auto *ids = static_cast<const int32_t *>(buffers[1]);
  for (int64_t i = 0; i < params.count; ++i)
    for (int64_t h = 0; h < params.width; ++h)
      out.set(i * params.width + h, table[ids[i] * params.width + h]);
}

void nlprt::embeddingGradReference(const nlprt_embedding_grad_params &params,
                                   void *const *buffers) {
  Elements grad(buffers[0], params.dtype), out(buffers[2], params.dtype);
  const auto *ids = static_cast<const int32_t *>(buffers[1]);
  for (int64_t row = 0; row < params.rows; ++row)
    for (int64_t h = 0; h < params.width; ++h) {
      double sum = 0.0;
      for (int64_t i = 0; i < params.count; ++i)
        if (ids[i] == row)
          sum += grad[i * params.width + h];
      out.set(row * params.width + h, sum);
    }
}
