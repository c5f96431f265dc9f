//===- ArenaPackingStacker.cpp - Place buffers for good ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer goes into a gap between the bytes that are taken while it is live:
// the lowest, the highest below a ceiling, or the tightest.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace nlp::solver;

int64_t nlp::solver::findGap(ArrayRef<ByteRange> taken,
                             const PackingBuffer &wanted, FitRule rule) {
  int64_t candidate = 0, best = -1, bestGap = INT64_MAX;
  for (auto [offset, end] : taken) {
    int64_t gap = offset - candidate;
    if (gap >= wanted.bytes && gap < bestGap) {
      best = candidate;
      bestGap = gap;
      if (rule == FitRule::First)
        return best;
    }
    if (end > candidate)
      candidate = alignTo(end, wanted.alignment);
  }
  return best >= 0 ? best : candidate;
}

Stacker::Stacker(const PackingProblem &problem, const LiveTimes &times,
                 int64_t ceiling)
    : offsets(problem.buffers.size(), -1), problem(problem), occupied(times),
      ceiling(ceiling) {
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (problem.buffers[i].fixedOffset)
      insert(i, *problem.buffers[i].fixedOffset);
}

/// Notes that `buffer` lies at `offset`.
void Stacker::insert(uint32_t buffer, int64_t offset) {
  int64_t end = offset + problem.buffers[buffer].bytes;
  offsets[buffer] = offset;
  occupied.insert(buffer, {offset, end});
  height = std::max(height, end);
}

/// The highest offset in a gap below the ceiling, or -1.
int64_t Stacker::findTopGap(const PackingBuffer &wanted) const {
  int64_t best = -1, begin = 0;
  auto offer = [&](int64_t end) {
    end = std::min(end, ceiling);
    if (end - begin < wanted.bytes)
      return;
    int64_t offset = alignDown(end - wanted.bytes, wanted.alignment);
    if (offset >= begin)
      best = offset;
  };
  for (const ByteRange &range : taken) {
    offer(range.begin);
    begin = std::max(begin, range.end);
  }
  offer(ceiling);
  return best;
}

void Stacker::place(uint32_t buffer, ArenaEnd end, FitRule rule) {
  assert(offsets[buffer] < 0 && "placed twice");
  const PackingBuffer &wanted = problem.buffers[buffer];
  occupied.findTaken(buffer, taken);
  int64_t offset = end == ArenaEnd::Top ? findTopGap(wanted) : -1;
  insert(buffer, offset >= 0 ? offset : findGap(taken, wanted, rule));
}

bool Stacker::place(ArrayRef<uint32_t> order, FitRule rule, int64_t limit) {
  for (uint32_t buffer : order) {
    place(buffer, ArenaEnd::Bottom, rule);
    if (height >= limit)
      return false;
  }
  return true;
}
