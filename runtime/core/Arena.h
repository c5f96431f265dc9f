//===- Arena.h - The one allocation of a run -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All parameters, state, activations and workspaces live in one mapping of the
// planned size. Every page is touched at start-up, so that the training loop
// neither faults nor grows, and a machine that is too small says so at once.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_ARENA_H
#define NLPRT_CORE_ARENA_H

#include <cstddef>
#include <cstdint>

namespace nlprt {

class Arena {
public:
  /// Maps `bytes` at a multiple of `alignment` (a power of two), all zero.
  /// Throws Error where memory does not suffice.
  Arena(int64_t bytes, int64_t alignment);
  ~Arena();
  Arena(const Arena &) = delete;

  char *data() const { return base; }
  /// What was asked for and is usable: the plan's arena_bytes.
  int64_t bytes() const { return size; }

private:
  char *base = nullptr;
  int64_t size;
  size_t mapped = 0;
};

/// Bytes that this process may still take: the least of the system's available
/// memory and what its control groups leave.
int64_t availableMemory();

/// Anonymous resident bytes of this process; 0 if unknown. Allocates nothing.
int64_t residentAnonymous();
/// The most that was ever resident, files included; 0 if unknown.
int64_t residentPeak();

} // namespace nlprt

#endif // NLPRT_CORE_ARENA_H
