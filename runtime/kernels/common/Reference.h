//===- Reference.h - Reference kernels --------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of abi.def written down as their definitions say, sequentially
// and in double precision. Buffers are those of the ABI; parameters are valid.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_COMMON_REFERENCE_H
#define NLPRT_KERNELS_COMMON_REFERENCE_H

#include "Common.h"

namespace nlprt {

/// A buffer of f32 or bf16, read and written as doubles.
class Elements {
public:
  Elements(void *data, int64_t dtype) : data(data), dtype(dtype) {}

  double operator[](int64_t index) const {
    if (dtype == NLPRT_F32)
      return static_cast<const float *>(data)[index];
    return fromBF16(static_cast<const uint16_t *>(data)[index]);
  }

  void set(int64_t index, double value) {
    if (dtype == NLPRT_F32)
      static_cast<float *>(data)[index] = static_cast<float>(value);
    else
      static_cast<uint16_t *>(data)[index] = toBF16(static_cast<float>(value));
  }

private:
  void *data;
  int64_t dtype;
};

void matmulReference(const nlprt_matmul_params &params, void *const *buffers);
void attentionReference(const nlprt_attention_params &params,
                        void *const *buffers);
void attentionGradReference(const nlprt_attention_grad_params &params,
                            void *const *buffers);
void embeddingReference(const nlprt_embedding_params &params,
                        void *const *buffers);
void embeddingGradReference(const nlprt_embedding_grad_params &params,
                            void *const *buffers);

} // namespace nlprt

#endif // NLPRT_KERNELS_COMMON_REFERENCE_H
