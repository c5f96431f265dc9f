//===- FakeTrain.cpp - The hand-written program as a binary -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Environment variables make happen at a step what is hard to time from
// outside: FAKE_SIGNAL_AT raises SIGTERM during it. Calls of malloc are counted
// between the end of the first step and the last; the number is on stderr.
//
//===----------------------------------------------------------------------===//

#include "FakeProgram.h"
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

static std::atomic<long> allocations;
static long allocationsAtSecond, allocationsAtLast;

// Sanitizers count for themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  ++allocations;
  return __libc_realloc(old, bytes);
}
}
#endif

static void watchStep(int64_t step) {
  const char *signalAt = std::getenv("FAKE_SIGNAL_AT");
  if (signalAt && std::atol(signalAt) == step)
    raise(SIGTERM);
  allocationsAtLast = allocations;
  if (step == 2)
    allocationsAtSecond = allocations;
}

int main(int argc, char **argv) {
  nlprt::test::onUpdate = watchStep;
  int code = nlprt_main(&nlprt::test::fakeProgram(), argc, argv);
  if (std::getenv("FAKE_COUNT"))
    std::fprintf(stderr, "allocations %ld\n",
                 allocationsAtLast - allocationsAtSecond);
  return code;
}
