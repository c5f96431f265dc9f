//===- Common.h - What the library kernels share ----------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes of element types, checked products, alignment, slices of workspaces for
// threads, and typed items over nlprt_parallel.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_COMMON_COMMON_H
#define NLPRT_KERNELS_COMMON_COMMON_H

#include "../../core/DType.h"
#include "nlprt/nlprt.h"

#include <cstddef>
#include <cstdint>
#include <omp.h>

namespace nlprt {

/// Slices of a workspace start at multiples of this many bytes, so that threads
/// share no cache line.
inline constexpr int64_t kAlignment = 64;

inline int64_t alignUp(int64_t bytes, int64_t alignment = kAlignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

inline char *alignPointer(void *pointer) {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return static_cast<char *>(pointer) +
         (-address & static_cast<uintptr_t>(kAlignment - 1));
}

/// True if all are positive and their product is below 2^62: no address that a
/// kernel computes from them overflows.
template <typename... Sizes> bool areSizes(Sizes... sizes) {
  int64_t product = 1;
  auto add = [&](int64_t size) {
    return size > 0 && !__builtin_mul_overflow(product, size, &product) &&
           product < (int64_t{1} << 62);
  };
  return (add(sizes) && ...);
}

/// Types that the kernels compute with: f32, and bf16 accumulated in f32.
inline bool isSupported(int64_t dtype) {
  return dtype == NLPRT_F32 || dtype == NLPRT_BF16;
}

inline int64_t elementBytes(int64_t dtype) {
  return dtype == NLPRT_F32 ? 4 : 2;
}

/// The calling thread's slice of a workspace that has one of `bytes` for each
/// thread. nlprt_parallel runs on OpenMP threads.
inline char *threadSlice(void *workspace, int64_t bytes) {
  return alignPointer(workspace) + omp_get_thread_num() * bytes;
}

/// Bytes of a workspace with `bytes` for each thread, for any base address; -1
/// where they are too many.
inline int64_t slicedBytes(int64_t bytes, int64_t threads) {
  int64_t all = 0;
  if (__builtin_mul_overflow(alignUp(bytes), threads, &all) ||
      __builtin_add_overflow(all, kAlignment, &all))
    return -1;
  return bytes == 0 ? 0 : all;
}

/// Runs `run(job, item)` over items [0, items) on the threads of the context.
template <auto run, typename Job>
nlprt_status parallelItems(nlprt_context *context, const nlprt_site *site,
                           const Job &job, int64_t items) {
  if (!context)
    return NLPRT_INVALID;
  void *buffers[] = {const_cast<Job *>(&job)};
  nlprt_body body = [](int64_t begin, int64_t end, void *const *buffers) {
    const Job &job = *static_cast<const Job *>(buffers[0]);
    for (int64_t item = begin; item < end; ++item)
      run(job, item);
  };
  return nlprt_parallel(context, site, body, items, buffers);
}

} // namespace nlprt

#endif // NLPRT_KERNELS_COMMON_COMMON_H
