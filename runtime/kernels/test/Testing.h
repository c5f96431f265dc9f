//===- Testing.h - Runs kernels without a backend ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context that is a number of threads, and buffers for tests and benchmarks.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_TEST_TESTING_H
#define NLPRT_KERNELS_TEST_TESTING_H

#include "../common/Reference.h"

#include <memory>
#include <new>
#include <vector>

struct nlprt_context {
  int threads = 1;
};

namespace nlprt {

/// Memory from a cache line's boundary, filled with NaN: whatever is not
/// written shows. It ends where it says, so that a sanitizer sees what goes
/// beyond.
class Buffer {
public:
  explicit Buffer(int64_t bytes = 0);
  Buffer(Buffer &&) = default;
  Buffer &operator=(Buffer &&) = default;

  void *data() const { return memory.get(); }
  int64_t size() const { return bytes; }
  bool operator==(const Buffer &other) const;

private:
  struct Free {
    void operator()(char *memory) const {
      ::operator delete[](memory, std::align_val_t(kAlignment));
    }
  };

  std::unique_ptr<char[], Free> memory;
  int64_t bytes = 0;
};

/// `count` elements of `dtype`, uniform in [-scale, scale].
Buffer randomBuffer(int64_t count, int64_t dtype, uint64_t seed,
                    double scale = 1.0);

/// `count` elements, all NaN.
Buffer emptyBuffer(int64_t count, int64_t dtype);

Buffer copyOf(const Buffer &buffer);

/// ||a - b|| / ||b||, where b is what is expected; NaN where a or b has one. An
/// ||b|| of elements below `least` on average counts as if they were `least`.
double relativeError(const Buffer &a, const Buffer &b, int64_t dtype,
                     double least = 1e-30);

std::vector<void *> pointersTo(const std::vector<Buffer> &buffers);

} // namespace nlprt

#endif // NLPRT_KERNELS_TEST_TESTING_H
