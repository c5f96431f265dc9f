//===- PackMemory.cpp - Planned memory for packed operands ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackMemory.h"

#include <atomic>

using namespace nlprt;

namespace {

struct Region {
  uintptr_t begin, next, end; // all 0: none
};

// Read by every call of free: no dynamic initialisation, no allocation by the
// loader on first use.
#ifdef __PIC__
[[gnu::tls_model("initial-exec")]]
#endif
thread_local Region region;

std::atomic<int64_t> misses;

} // namespace

PackMemory::PackMemory(void *begin, int64_t bytes) {
  uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  region = {address, address, address + static_cast<uintptr_t>(bytes)};
}

PackMemory::~PackMemory() { region = {}; }

void *nlprt::takePackMemory(size_t alignment, size_t bytes) noexcept {
  if (!region.begin || bytes < kMinPackBytes)
    return nullptr;
  uintptr_t start = (region.next + alignment - 1) & ~(alignment - 1);
  if (start > region.end || bytes > region.end - start) {
    ++misses;
    return nullptr;
  }
  region.next = start + bytes;
  return reinterpret_cast<void *>(start);
}

bool nlprt::isPackMemory(const void *pointer) noexcept {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return region.begin && address >= region.begin && address < region.end;
}

int64_t nlprt::countPackMisses() { return misses; }
