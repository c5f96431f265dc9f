//===- Backends.h - What the conformance suite runs on -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One suite for all backends, on one, two and three threads. Expectations are
// written from the definitions in abi.def, not from any backend's code.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_TEST_CONFORMANCE_BACKENDS_H
#define NLPRT_TEST_CONFORMANCE_BACKENDS_H

#include "core/DType.h"
#include "nlprt/backend.h"
#include "nlprt/counter_random.h"
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace nlprt::test {

/// Elements of a floating-point type, held as the kernels see them.
class Array {
public:
  Array(int64_t count, int64_t dtype)
      : dtype(dtype), bytes(count * dtypeBytes(dtype) + 64, char(0xff)) {}

  int64_t size() const {
    return (static_cast<int64_t>(bytes.size()) - 64) / dtypeBytes(dtype);
  }
  /// At a cache line, as all buffers in an arena are.
  void *data() {
    auto address = reinterpret_cast<uintptr_t>(bytes.data());
    return bytes.data() + (-address & 63);
  }
  double operator[](int64_t i) { return loadFloat(data(), dtype, i); }
  void set(int64_t i, double value) { storeFloat(data(), dtype, i, value); }
  /// Uniform in [-1, 1).
  void fill(uint64_t seed) {
    for (int64_t i = 0; i < size(); ++i)
      set(i, nlprt_draw(seed, i) * 0x1p-31 - 1.0);
  }
  std::vector<double> values() {
    std::vector<double> result(size());
    for (int64_t i = 0; i < size(); ++i)
      result[i] = (*this)[i];
    return result;
  }

private:
  int64_t dtype;
  std::vector<char> bytes;
};

inline Array randomArray(int64_t count, int64_t dtype, uint64_t seed) {
  Array array(count, dtype);
  array.fill(seed);
  return array;
}

/// ||got - wanted|| / ||wanted||; infinite where a number is not finite.
inline double relativeError(const std::vector<double> &got,
                            const std::vector<double> &wanted) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    difference += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    norm += wanted[i] * wanted[i];
  }
  double error = std::sqrt(difference / std::max(norm, 1e-30));
  return std::isfinite(error) ? error : INFINITY;
}

/// What rounding of the results and f32 sums of these sizes may cost.
inline double tolerance(int64_t dtype) {
  return dtype == NLPRT_BF16 ? 6e-3 : 2e-6;
}

struct Configuration {
  const nlprt_backend *backend;
  int64_t threads;
};

class ConformanceTest : public testing::TestWithParam<Configuration> {
protected:
  ConformanceTest()
      : backend(*GetParam().backend),
        context(nlprt_context_create(GetParam().threads),
                nlprt_context_destroy) {}

  /// A workspace of as many bytes as the backend asks for.
  template <typename Query, typename Params>
  Array workspace(Query query, const Params &params) {
    int64_t bytes = query(&params, GetParam().threads);
    EXPECT_GE(bytes, 0);
    return Array(bytes, NLPRT_I8);
  }

  const nlprt_backend &backend;
  std::unique_ptr<nlprt_context, void (*)(nlprt_context *)> context;
};

} // namespace nlprt::test

#endif // NLPRT_TEST_CONFORMANCE_BACKENDS_H
