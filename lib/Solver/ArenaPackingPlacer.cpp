//===- ArenaPackingPlacer.cpp - Place buffers one by one --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer goes into the lowest or the tightest gap between the placed buffers
// that are live with it, found by sorting those by offset: O(k log k) for k of
// them, and O(k log n) to find them.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>

using namespace llvm;
using namespace nlp::solver;

//===----------------------------------------------------------------------===//
// LiveIndex
//===----------------------------------------------------------------------===//

LiveIndex::LiveIndex(const PackingProblem &problem) {
  size_t bufferCount = problem.buffers.size();
  for (size_t i = 0; i < bufferCount; ++i) {
    // Buffers without bytes never conflict.
    if (problem.buffers[i].bytes == 0)
      continue;
    for (const LiveInterval &live : problem.buffers[i].live)
      intervals.push_back({live.start, live.end, static_cast<uint32_t>(i)});
  }
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval &a, const Interval &b) {
              return std::tie(a.start, a.buffer) < std::tie(b.start, b.buffer);
            });
  leavesBegin.resize(bufferCount + 1);
  for (const Interval &interval : intervals)
    ++leavesBegin[interval.buffer + 1];
  for (size_t i = 0; i < bufferCount; ++i)
    leavesBegin[i + 1] += leavesBegin[i];
  leaves.resize(intervals.size());
  std::vector<uint32_t> next(leavesBegin.begin(), leavesBegin.end() - 1);
  for (size_t i = 0; i < intervals.size(); ++i)
    leaves[next[intervals[i].buffer]++] = i;
  leafCount = PowerOf2Ceil(std::max<size_t>(intervals.size(), 1));
  latestEnd.assign(2 * leafCount, INT64_MIN);
  stamps.resize(bufferCount);
}

void LiveIndex::setLeaf(size_t leaf, int64_t end) {
  size_t node = leafCount + leaf;
  latestEnd[node] = end;
  for (node /= 2; node > 0; node /= 2) {
    int64_t latest = std::max(latestEnd[2 * node], latestEnd[2 * node + 1]);
    if (latestEnd[node] == latest)
      break;
    latestEnd[node] = latest;
  }
}

void LiveIndex::insert(uint32_t buffer) {
  for (uint32_t i = leavesBegin[buffer]; i < leavesBegin[buffer + 1]; ++i)
    setLeaf(leaves[i], intervals[leaves[i]].end);
}

void LiveIndex::erase(uint32_t buffer) {
  for (uint32_t i = leavesBegin[buffer]; i < leavesBegin[buffer + 1]; ++i)
    setLeaf(leaves[i], INT64_MIN);
}

/// Finds what lies below `node` and ends after `start`.
void LiveIndex::visit(size_t node, int64_t start,
                      std::vector<uint32_t> &found) {
  ++work;
  if (latestEnd[node] <= start)
    return;
  if (node < leafCount) {
    visit(2 * node, start, found);
    visit(2 * node + 1, start, found);
    return;
  }
  uint32_t buffer = intervals[node - leafCount].buffer;
  if (stamps[buffer] == stamp)
    return;
  stamps[buffer] = stamp;
  found.push_back(buffer);
}

void LiveIndex::findConflicts(uint32_t buffer, std::vector<uint32_t> &found) {
  if (++stamp == 0) {
    std::fill(stamps.begin(), stamps.end(), 0);
    stamp = 1;
  }
  for (uint32_t i = leavesBegin[buffer]; i < leavesBegin[buffer + 1]; ++i) {
    const Interval &own = intervals[leaves[i]];
    // What is live with it starts before its end, which is a prefix of the
    // leaves, and ends after its start.
    size_t prefix =
        std::lower_bound(intervals.begin(), intervals.end(), own.end,
                         [](const Interval &interval, int64_t end) {
                           return interval.start < end;
                         }) -
        intervals.begin();
    size_t low = leafCount, high = leafCount + prefix;
    for (; low < high; low /= 2, high /= 2) {
      if (low & 1)
        visit(low++, own.start, found);
      if (high & 1)
        visit(--high, own.start, found);
    }
  }
}

//===----------------------------------------------------------------------===//
// Placer
//===----------------------------------------------------------------------===//

Placer::Placer(const PackingProblem &problem)
    : offsets(problem.buffers.size(), -1), problem(problem), index(problem) {
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    if (problem.buffers[i].fixedOffset)
      insert(i, *problem.buffers[i].fixedOffset);
}

/// Notes that `buffer` lies at `offset`.
void Placer::insert(uint32_t buffer, int64_t offset) {
  offsets[buffer] = offset;
  index.insert(buffer);
}

/// Sets `taken` to the places of what is live with `buffer`, by offset.
void Placer::findTaken(uint32_t buffer) {
  conflicts.clear();
  taken.clear();
  index.findConflicts(buffer, conflicts);
  for (uint32_t other : conflicts)
    taken.push_back({offsets[other], getEnd(other)});
  llvm::sort(taken);
  index.work += 4 * taken.size();
}

void Placer::place(ArrayRef<uint32_t> order, FitRule rule) {
  for (uint32_t buffer : order) {
    assert(offsets[buffer] < 0 && "placed twice");
    findTaken(buffer);
    insert(buffer, findGap(taken, problem.buffers[buffer], rule));
  }
}

void Placer::remove(ArrayRef<uint32_t> buffers) {
  for (uint32_t buffer : buffers) {
    index.erase(buffer);
    offsets[buffer] = -1;
  }
  index.work += 4 * buffers.size();
}

void Placer::restore(ArrayRef<uint32_t> buffers, ArrayRef<int64_t> saved) {
  for (uint32_t buffer : buffers)
    insert(buffer, saved[buffer]);
  index.work += 4 * buffers.size();
}

int64_t Placer::getHeight() const {
  int64_t height = 0;
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] >= 0)
      height = std::max(height, getEnd(i));
  return height;
}
