//===- ArenaPackingOccupancy.cpp - Which bytes are taken when ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer is noted in O(log n) nodes, each of which costs as many steps as it
// has ranges that do not touch: few in packings that are any good.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingOccupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace nlp::solver;

LiveTimes::LiveTimes(const PackingProblem &problem) {
  std::vector<int64_t> starts, ends, times;
  for (const PackingBuffer &buffer : problem.buffers)
    if (buffer.bytes > 0)
      for (const LiveInterval &live : buffer.live) {
        starts.push_back(live.start);
        ends.push_back(live.end);
      }
  llvm::sort(starts);
  llvm::sort(ends);
  for (size_t i = 0, end = 0; i < starts.size(); ++i) {
    while (ends[end] <= starts[i])
      ++end;
    if (i + 1 == starts.size() || ends[end] <= starts[i + 1])
      times.push_back(starts[i]);
  }
  count = times.size();
  auto indexOf = [&](int64_t time) -> uint32_t {
    return lower_bound(times, time) - times.begin();
  };
  for (const PackingBuffer &buffer : problem.buffers) {
    spansBegin.push_back(spans.size());
    if (buffer.bytes > 0)
      for (const LiveInterval &live : buffer.live)
        spans.push_back({indexOf(live.start), indexOf(live.end)});
  }
  spansBegin.push_back(spans.size());
}

OccupiedBytes::OccupiedBytes(const LiveTimes &times)
    : times(times), leafCount(PowerOf2Ceil(std::max<size_t>(times.size(), 1))),
      nodes(2 * size_t(leafCount)) {}

/// Adds `range` to disjoint `ranges` in rising order, joined with what it
/// touches.
void OccupiedBytes::add(Ranges &ranges, ByteRange range) {
  auto *first = std::lower_bound(
      ranges.begin(), ranges.end(), range.begin,
      [](const ByteRange &other, int64_t begin) { return other.end < begin; });
  auto *last = first;
  for (; last != ranges.end() && last->begin <= range.end; ++last) {
    range.begin = std::min(range.begin, last->begin);
    range.end = std::max(range.end, last->end);
  }
  work += 1 + (ranges.end() - first) / 8;
  if (first == last) {
    ranges.insert(first, range);
    return;
  }
  *first = range;
  ranges.erase(first + 1, last);
}

/// Notes `range` below `node`, which holds the times from `begin` to `end`.
void OccupiedBytes::insert(size_t node, uint32_t begin, uint32_t end,
                           LiveTimes::Span span, ByteRange range) {
  add(nodes[node].sometimes, range);
  if (span.first <= begin && end <= span.last) {
    add(nodes[node].always, range);
    return;
  }
  uint32_t middle = begin + (end - begin) / 2;
  if (span.first < middle)
    insert(2 * node, begin, middle, span, range);
  if (span.last > middle)
    insert(2 * node + 1, middle, end, span, range);
}

void OccupiedBytes::insert(uint32_t buffer, ByteRange range) {
  for (LiveTimes::Span span : times.getSpans(buffer))
    insert(1, 0, leafCount, span, range);
}

/// Appends what is taken at times of `span` below `node`.
void OccupiedBytes::collect(size_t node, uint32_t begin, uint32_t end,
                            LiveTimes::Span span,
                            std::vector<ByteRange> &taken) {
  ++work;
  if (span.first <= begin && end <= span.last) {
    llvm::append_range(taken, nodes[node].sometimes);
    return;
  }
  llvm::append_range(taken, nodes[node].always);
  uint32_t middle = begin + (end - begin) / 2;
  if (span.first < middle)
    collect(2 * node, begin, middle, span, taken);
  if (span.last > middle)
    collect(2 * node + 1, middle, end, span, taken);
}

void OccupiedBytes::findTaken(uint32_t buffer, std::vector<ByteRange> &taken) {
  taken.clear();
  for (LiveTimes::Span span : times.getSpans(buffer))
    collect(1, 0, leafCount, span, taken);
  llvm::sort(taken);
  work += 4 * taken.size();
}
