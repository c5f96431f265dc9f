//===- InitialValues.cpp - Parameters at the start of a run -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are filled in pairs, which share a Philox block: the compiler merges
// the work that two calls of nlprt_normal have in common.
//
//===----------------------------------------------------------------------===//

#include "core/DType.h"
#include "core/Weights.h"
#include "nlprt/counter_random.h"
#include <algorithm>

namespace nlprt {

static void fillNormal(char *data, int64_t dtype, int64_t count, uint64_t key,
                       double scale) {
  int64_t pairs = (count + 1) / 2;
#pragma omp parallel for schedule(static)
  for (int64_t pair = 0; pair < pairs; ++pair) {
    int64_t even = 2 * pair;
    storeFloat(data, dtype, even, scale * nlprt_normal(key, even));
    if (even + 1 < count)
      storeFloat(data, dtype, even + 1, scale * nlprt_normal(key, even + 1));
  }
}

static void fillConstant(char *data, int64_t dtype, int64_t count,
                         double value) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i)
    storeFloat(data, dtype, i, value);
}

void initializeParameters(const nlprt_program &program, char *arena,
                          uint64_t seed) {
  for (int64_t i = 0; i < program.parameter_count; ++i) {
    const nlprt_parameter &parameter = program.parameters[i];
    const nlprt_tensor &tensor = parameter.tensor;
    char *data = arena + tensor.offset;
    int64_t count = tensor.bytes / dtypeBytes(tensor.dtype);
    switch (parameter.init) {
    case NLPRT_INIT_NORMAL:
      fillNormal(data, tensor.dtype, count,
                 nlprt_mix(seed, nlprt_hash_name(tensor.name)),
                 parameter.init_scale);
      break;
    case NLPRT_INIT_ONES:
      fillConstant(data, tensor.dtype, count, 1.0);
      break;
    default:
      std::fill_n(data, tensor.bytes, 0);
    }
  }
}

} // namespace nlprt
