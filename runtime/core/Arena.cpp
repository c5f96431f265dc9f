//===- Arena.cpp - The one allocation of a run -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An anonymous mapping, placed at a 2 MiB boundary where it is large enough to
// profit from huge pages, with the slack given back. Pages are touched by all
// threads: 1 GiB takes about 0.1 s a thread.
//
//===----------------------------------------------------------------------===//

#include "core/Arena.h"
#include "core/Support.h"
#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

namespace nlprt {

static constexpr size_t hugePage = size_t(1) << 21;

static size_t roundUp(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

Arena::Arena(int64_t bytes, int64_t alignment) : size(bytes) {
  if (bytes <= 0)
    return;
  int64_t available = availableMemory();
  if (bytes > available)
    throw Error("the plan needs an arena of " + formatBytes(bytes) + ", but " +
                formatBytes(available) +
                " of memory are available; plan with a smaller "
                "--memory-budget or on a larger machine");
  size_t page = sysconf(_SC_PAGESIZE);
  mapped = roundUp(bytes, page);
  size_t unit = std::max<size_t>(alignment, page);
  if (mapped >= hugePage)
    unit = std::max(unit, hugePage);
  void *found = mmap(nullptr, mapped + unit, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED)
    throw systemError("arena of " + formatBytes(bytes), "map memory", errno);
  char *start = static_cast<char *>(found);
  base =
      reinterpret_cast<char *>(roundUp(reinterpret_cast<size_t>(start), unit));
  if (base > start)
    munmap(start, base - start);
  if (char *end = base + mapped; end < start + mapped + unit)
    munmap(end, start + mapped + unit - end);
  if (mapped >= hugePage)
    madvise(base, mapped, MADV_HUGEPAGE); // where the system has them
  int64_t pages = mapped / page;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < pages; ++i)
    static_cast<volatile char *>(base)[i * page] = 0;
}

Arena::~Arena() {
  if (base)
    munmap(base, mapped);
}

} // namespace nlprt
