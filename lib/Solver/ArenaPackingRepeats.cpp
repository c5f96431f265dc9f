//===- ArenaPackingRepeats.cpp - Times that repeat earlier ones -----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of many micro-batches runs the same code again and again: the same
// buffers are live together each time. Sets of live buffers are told apart by
// a hash of 128 bits, so that two sets are taken for one about never, and the
// solution's check would see it. O(n log n) in the intervals.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace nlp::solver;

namespace {
/// A buffer becomes live, or stops to be.
struct Event {
  int64_t time;
  uint32_t buffer;
  bool isStart;
};

/// A set of buffers, by a hash that changes with every member.
struct LiveSet {
  uint64_t first = 0, second = 0;

  void toggle(uint32_t buffer) {
    first ^= scatterBits(2 * uint64_t(buffer) + 1);
    second ^= scatterBits(2 * uint64_t(buffer) + 2);
  }
  bool operator<(const LiveSet &other) const {
    return std::tie(first, second) < std::tie(other.first, other.second);
  }
};

/// Where times are that are kept: `starts[i]` to `starts[i + 1]` hold one set.
struct KeptTimes {
  std::vector<int64_t> starts;
  std::vector<int64_t> keptBefore; // of each start; one more at the end

  /// How many kept times lie before `time`, which is a start.
  int64_t countBefore(int64_t time) const {
    return keptBefore[lower_bound(starts, time) - starts.begin()];
  }
};
} // namespace

static std::vector<Event> getEvents(const PackingProblem &problem) {
  std::vector<Event> events;
  for (auto [i, buffer] : enumerate(problem.buffers))
    for (const LiveInterval &live : buffer.live) {
      events.push_back({live.start, static_cast<uint32_t>(i), true});
      events.push_back({live.end, static_cast<uint32_t>(i), false});
    }
  llvm::sort(events, [](const Event &a, const Event &b) {
    return std::tie(a.time, a.buffer, a.isStart) <
           std::tie(b.time, b.buffer, b.isStart);
  });
  return events;
}

/// Keeps the first time of each set of live buffers.
static KeptTimes findKeptTimes(const PackingProblem &problem) {
  KeptTimes times;
  std::vector<Event> events = getEvents(problem);
  LiveSet live;
  std::set<LiveSet> seen = {live}; // when nothing is live, nothing conflicts
  int64_t kept = 0;
  for (size_t i = 0; i < events.size();) {
    times.starts.push_back(events[i].time);
    times.keptBefore.push_back(kept);
    for (size_t first = i;
         i < events.size() && events[i].time == events[first].time; ++i)
      live.toggle(events[i].buffer);
    kept += seen.insert(live).second;
  }
  times.keptBefore.push_back(kept);
  return times;
}

std::optional<PackingProblem>
nlp::solver::dropRepeatedTimes(const PackingProblem &problem) {
  KeptTimes times = findKeptTimes(problem);
  // A few repeats, as kernels with a workspace make them, cost next to nothing.
  if (times.keptBefore.back() > static_cast<int64_t>(times.starts.size() / 4))
    return std::nullopt;
  PackingProblem shorter = problem;
  for (PackingBuffer &buffer : shorter.buffers) {
    SmallVector<LiveInterval, 1> live;
    for (const LiveInterval &interval : buffer.live) {
      LiveInterval now{times.countBefore(interval.start),
                       times.countBefore(interval.end)};
      if (now.start == now.end)
        continue;
      if (!live.empty() && live.back().end == now.start)
        live.back().end = now.end;
      else
        live.push_back(now);
    }
    buffer.live = std::move(live);
  }
  return shorter;
}
