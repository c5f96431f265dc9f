//===- ArenaPackingCheck.cpp - What a packing must fulfil -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks problems and solutions by one sweep over time, which keeps the live
// buffers ordered by offset and compares each new one with its two neighbours.
// O(n log n). Uses nothing of the solver, so that it can judge it.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/ArenaPacking.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace nlp::solver;

namespace {
/// A buffer becomes live, or stops to be.
struct Event {
  int64_t time;
  bool isStart;
  size_t buffer;

  /// Ends come before starts of the same time, since intervals are half-open.
  bool operator<(const Event &other) const {
    if (time != other.time)
      return time < other.time;
    if (isStart != other.isStart)
      return other.isStart;
    return buffer < other.buffer;
  }
};
} // namespace

/// The events of all buffers that take room, in the order of time.
static std::vector<Event> getEvents(const PackingProblem &problem) {
  std::vector<Event> events;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (problem.buffers[i].bytes == 0)
      continue;
    for (const LiveInterval &interval : problem.buffers[i].live) {
      events.push_back({interval.start, true, i});
      events.push_back({interval.end, false, i});
    }
  }
  std::sort(events.begin(), events.end());
  return events;
}

/// Two buffers that are live together and overlap, both below `offsets`' reach;
/// nothing where there are none. Buffers without an offset are passed over.
static std::optional<std::pair<size_t, size_t>>
findOverlap(const PackingProblem &problem,
            const std::vector<std::optional<int64_t>> &offsets) {
  std::map<int64_t, size_t> live; // offset to buffer
  for (const Event &event : getEvents(problem)) {
    if (!offsets[event.buffer])
      continue;
    int64_t offset = *offsets[event.buffer];
    if (!event.isStart) {
      live.erase(offset);
      continue;
    }
    int64_t end = offset + problem.buffers[event.buffer].bytes;
    auto above = live.lower_bound(offset);
    if (above != live.end() && above->first < end)
      return std::make_pair(above->second, event.buffer);
    if (above != live.begin()) {
      auto below = std::prev(above);
      if (below->first + problem.buffers[below->second].bytes > offset)
        return std::make_pair(below->second, event.buffer);
    }
    live.emplace(offset, event.buffer);
  }
  return std::nullopt;
}

/// What is wrong with one buffer, seen alone.
static std::optional<std::string> checkBuffer(const PackingBuffer &buffer) {
  if (buffer.bytes < 0)
    return "expected a size of 0 or more, but got " +
           std::to_string(buffer.bytes);
  if (buffer.alignment <= 0 || !isPowerOf2_64(buffer.alignment))
    return "expected an alignment that is a power of two, but got " +
           std::to_string(buffer.alignment);
  for (size_t i = 0; i < buffer.live.size(); ++i) {
    const LiveInterval &interval = buffer.live[i];
    if (interval.start >= interval.end)
      return "expected a start before the end, but got [" +
             std::to_string(interval.start) + ", " +
             std::to_string(interval.end) + ")";
    if (i > 0 && interval.start < buffer.live[i - 1].end)
      return "expected disjoint intervals in rising order, but " +
             std::to_string(interval.start) + " comes after " +
             std::to_string(buffer.live[i - 1].end);
  }
  if (buffer.fixedOffset && *buffer.fixedOffset < 0)
    return "expected a fixed offset of 0 or more, but got " +
           std::to_string(*buffer.fixedOffset);
  if (buffer.fixedOffset && *buffer.fixedOffset % buffer.alignment != 0)
    return "expected a fixed offset that is a multiple of " +
           std::to_string(buffer.alignment) + ", but got " +
           std::to_string(*buffer.fixedOffset);
  return std::nullopt;
}

std::optional<std::string> PackingProblem::check() const {
  // Whatever the solver does, it never stacks higher than all buffers with all
  // their padding above all that is fixed; half of int64 leaves room to add.
  __int128 tallest = 0, fixedTop = 0;
  std::vector<std::optional<int64_t>> fixed;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (std::optional<std::string> message = checkBuffer(buffers[i]))
      return "buffer " + std::to_string(i) + ": " + *message;
    tallest += static_cast<__int128>(buffers[i].bytes) + buffers[i].alignment;
    if (buffers[i].fixedOffset)
      fixedTop =
          std::max(fixedTop, static_cast<__int128>(*buffers[i].fixedOffset) +
                                 buffers[i].bytes);
    fixed.push_back(buffers[i].fixedOffset);
  }
  if (tallest + fixedTop > INT64_MAX / 2)
    return "expected sizes whose sum is below 2^62 bytes";
  if (capacity && *capacity < 0)
    return "expected a capacity of 0 or more, but got " +
           std::to_string(*capacity);
  if (auto overlap = findOverlap(*this, fixed))
    return "expected fixed offsets that fit together, but buffers " +
           std::to_string(overlap->first) + " and " +
           std::to_string(overlap->second) + " overlap";
  return std::nullopt;
}

/// The largest sum of sizes live together, each rounded up to `granule`.
static int64_t getMaxLive(const PackingProblem &problem, int64_t granule) {
  int64_t live = 0, most = 0;
  for (const Event &event : getEvents(problem)) {
    int64_t bytes = alignTo(problem.buffers[event.buffer].bytes, granule);
    live += event.isStart ? bytes : -bytes;
    most = std::max(most, live);
  }
  return most;
}

int64_t PackingProblem::getMaxLiveBytes() const { return getMaxLive(*this, 1); }

int64_t PackingProblem::getLowerBound() const {
  // (6) of docs/Planner/Packing.md. Where all offsets are multiples of
  // `granule`, each buffer but the topmost of those live together takes a
  // multiple of it.
  int64_t granule = INT64_MAX, mostPadding = 0, bound = 0;
  for (const PackingBuffer &buffer : buffers)
    if (buffer.bytes > 0)
      granule = std::min(granule, buffer.alignment);
  if (granule == INT64_MAX)
    granule = 1;
  for (const PackingBuffer &buffer : buffers) {
    mostPadding = std::max<int64_t>(
        mostPadding, alignTo(buffer.bytes, granule) - buffer.bytes);
    bound = std::max(bound, buffer.fixedOffset.value_or(0) + buffer.bytes);
  }
  bound = std::max(bound, getMaxLiveBytes());
  return std::max(bound, getMaxLive(*this, granule) - mostPadding);
}

std::optional<std::string>
PackingSolution::verify(const PackingProblem &problem) const {
  if (offsets.size() != problem.buffers.size())
    return "expected " + std::to_string(problem.buffers.size()) +
           " offsets, but got " + std::to_string(offsets.size());
  int64_t top = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const PackingBuffer &buffer = problem.buffers[i];
    std::string name = "buffer " + std::to_string(i);
    if (offsets[i] < 0 || offsets[i] % buffer.alignment != 0)
      return name + ": expected an offset that is a multiple of " +
             std::to_string(buffer.alignment) + ", but got " +
             std::to_string(offsets[i]);
    if (buffer.fixedOffset && offsets[i] != *buffer.fixedOffset)
      return name + ": expected the fixed offset " +
             std::to_string(*buffer.fixedOffset) + ", but got " +
             std::to_string(offsets[i]);
    int64_t end;
    if (__builtin_add_overflow(offsets[i], buffer.bytes, &end))
      return name + ": expected an end below 2^63";
    top = std::max(top, end);
  }
  if (height != top)
    return "expected a height of " + std::to_string(top) + ", but got " +
           std::to_string(height);
  if (problem.capacity && height > *problem.capacity)
    return "expected a height of at most " + std::to_string(*problem.capacity) +
           ", but got " + std::to_string(height);
  if (auto overlap = findOverlap(problem, {offsets.begin(), offsets.end()}))
    return "expected no overlap, but buffers " +
           std::to_string(overlap->first) + " and " +
           std::to_string(overlap->second) +
           " are live together and share bytes";
  return std::nullopt;
}
