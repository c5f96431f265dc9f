//===- InitialValues.cpp - Parameters at the start of a run -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Philox block and its logarithm give two normal draws, so elements are
// filled in pairs: half the cost of nlprt_normal, and its very values (a test
// compares them).
//
//===----------------------------------------------------------------------===//

#include "core/DType.h"
#include "core/Weights.h"
#include "nlprt/counter_random.h"
#include <algorithm>
#include <cmath>
#include <utility>

namespace nlprt {

/// nlprt_normal of elements 2 * pair and 2 * pair + 1.
static std::pair<double, double> normalPair(uint64_t key, int64_t pair) {
  uint32_t words[4];
  nlprt_philox(key, pair, words);
  double u = (words[0] + 1.0) * (1.0 / 4294967296.0);
  double radius = std::sqrt(-2.0 * std::log(u));
  double angle = 6.283185307179586 * (words[1] * (1.0 / 4294967296.0));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

static void fillNormal(char *data, int64_t dtype, int64_t count, uint64_t key,
                       double scale) {
  int64_t pairs = (count + 1) / 2;
#pragma omp parallel for schedule(static)
  for (int64_t pair = 0; pair < pairs; ++pair) {
    auto [even, odd] = normalPair(key, pair);
    storeFloat(data, dtype, 2 * pair, scale * even);
    if (2 * pair + 1 < count)
      storeFloat(data, dtype, 2 * pair + 1, scale * odd);
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
