//===- PackMemory.h - Planned memory for packed operands --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// oneDNN's sgemm packs its operands in a buffer that it takes from
// posix_memalign and frees before it returns; there is no other way to give it
// memory. A training binary answers those two calls itself
// (backends/cpu/Allocation.cpp): inside a PackMemory they are served from the
// kernel's planned workspace, so that a step allocates nothing.
//
// The first product of a kind also makes kernels, which stay. Those are small,
// and the first run of every tile is left to the C library.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_KERNELS_MATMUL_PACKMEMORY_H
#define NLPRT_KERNELS_MATMUL_PACKMEMORY_H

#include <cstddef>
#include <cstdint>

namespace nlprt {

/// Smaller requests are none for packed operands.
inline constexpr size_t kMinPackBytes = 16 << 10;

/// While it lives, the calling thread's requests for aligned memory are served
/// from [begin, begin + bytes). One at a time a thread. What was served must be
/// freed on this thread before it ends.
class PackMemory {
public:
  PackMemory(void *begin, int64_t bytes);
  ~PackMemory();
  PackMemory(const PackMemory &) = delete;
  PackMemory &operator=(const PackMemory &) = delete;
};

/// Bytes of the calling thread's PackMemory, or null: there is none, too little
/// of it is left, or the request is a small one.
void *takePackMemory(size_t alignment, size_t bytes) noexcept;

/// True if the calling thread's PackMemory holds `pointer`.
bool isPackMemory(const void *pointer) noexcept;

/// Requests in a PackMemory that did not fit, of all threads so far.
int64_t countPackMisses();

} // namespace nlprt

#endif // NLPRT_KERNELS_MATMUL_PACKMEMORY_H
