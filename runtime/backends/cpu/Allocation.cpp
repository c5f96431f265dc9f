//===- Allocation.cpp - posix_memalign and free of a training binary ------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests of a matrix product for packed operands are served from its planned
// workspace (kernels/matmul/PackMemory.h); all others go on to the C library.
// Sanitizers bring their own allocator and see oneDNN's requests as they are.
//
//===----------------------------------------------------------------------===//

#include "../../kernels/matmul/PackMemory.h"

#include <cerrno>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)

extern "C" {

void __libc_free(void *); // glibc's own name for what is replaced here

int posix_memalign(void **result, size_t alignment, size_t bytes) noexcept {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 ||
      alignment == 0)
    return EINVAL;
  void *memory = nlprt::takePackMemory(alignment, bytes);
  if (!memory)
    memory = std::aligned_alloc(alignment, bytes);
  if (!memory)
    return ENOMEM;
  *result = memory;
  return 0;
}

void free(void *pointer) noexcept {
  if (!nlprt::isPackMemory(pointer))
    __libc_free(pointer);
}
}

#endif
