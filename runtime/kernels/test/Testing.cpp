//===- Testing.cpp - Runs kernels without a backend -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include "nlprt/counter_random.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nlprt;

nlprt_status nlprt_parallel(nlprt_context *context, const nlprt_site *,
                            nlprt_body body, int64_t items,
                            void *const *buffers) {
  int threads = context->threads;
  if (threads == 1) {
    body(0, items, buffers);
    return NLPRT_OK;
  }
#pragma omp parallel num_threads(threads)
  {
    int64_t thread = omp_get_thread_num(), team = omp_get_num_threads();
    int64_t begin = items * thread / team, end = items * (thread + 1) / team;
    if (begin < end)
      body(begin, end, buffers);
  }
  return NLPRT_OK;
}

Buffer::Buffer(int64_t bytes)
    : memory(new (std::align_val_t(kAlignment)) char[bytes]), bytes(bytes) {
  std::memset(memory.get(), 0xff, bytes); // NaN as f32 and as bf16
}

bool Buffer::operator==(const Buffer &other) const {
  return bytes == other.bytes && std::memcmp(data(), other.data(), bytes) == 0;
}

Buffer nlprt::randomBuffer(int64_t count, int64_t dtype, uint64_t seed,
                           double scale) {
  Buffer buffer(count * elementBytes(dtype));
  Elements elements(buffer.data(), dtype);
  for (int64_t i = 0; i < count; ++i)
    elements.set(i, (nlprt_draw(seed, i) / 2147483648.0 - 1.0) * scale);
  return buffer;
}

Buffer nlprt::emptyBuffer(int64_t count, int64_t dtype) {
  return Buffer(count * elementBytes(dtype));
}

Buffer nlprt::copyOf(const Buffer &buffer) {
  Buffer copy(buffer.size());
  std::memcpy(copy.data(), buffer.data(), buffer.size());
  return copy;
}

double nlprt::relativeError(const Buffer &a, const Buffer &b, int64_t dtype,
                            double least) {
  if (a.size() != b.size())
    return std::numeric_limits<double>::infinity();
  Elements as(a.data(), dtype), bs(b.data(), dtype);
  int64_t count = b.size() / elementBytes(dtype);
  double difference = 0.0, norm = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    difference += (as[i] - bs[i]) * (as[i] - bs[i]);
    norm += bs[i] * bs[i];
  }
  return std::sqrt(difference / std::max(norm, least * least * count));
}

std::vector<void *> nlprt::pointersTo(const std::vector<Buffer> &buffers) {
  std::vector<void *> pointers;
  for (const Buffer &buffer : buffers)
    pointers.push_back(buffer.size() ? buffer.data() : nullptr);
  return pointers;
}
