//===- MatmulReference.cpp - Matrix products by definition ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three loops in double precision: what the fast kernels are tested against.
//
//===----------------------------------------------------------------------===//

#include "../common/Reference.h"

using namespace nlprt;

void nlprt::matmulReference(const nlprt_matmul_params &params,
                            void *const *buffers) {
  Elements a(buffers[0], params.dtype), b(buffers[1], params.dtype);
  Elements bias(buffers[2], params.dtype), out(buffers[3], params.dtype);
  int64_t m = params.m, n = params.n, k = params.k;
  for (int64_t batch = 0; batch < params.batch; ++batch)
    for (int64_t row = 0; row < m; ++row)
      for (int64_t col = 0; col < n; ++col) {
        double sum = 0.0;
        for (int64_t i = 0; i < k; ++i)
          sum +=
              a[batch * m * k + (params.trans_a ? i * m + row : row * k + i)] *
              b[batch * k * n + (params.trans_b ? col * k + i : i * n + col)];
        if (params.has_bias)
          sum += bias[col];
        int64_t index = (batch * m + row) * n + col;
        out.set(index, params.accumulate ? out[index] + sum : sum);
      }
}
