//===- ArenaPackingGreedy.cpp - Orders to place buffers in -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No order is best on all graphs, so several are tried, the strongest ones
// first, until the bound is met or the work is spent. The first order is always
// placed in full.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace nlp::solver;

/// How often what did not fit is moved to the front: it helps soon or never.
static constexpr int maxRepacks = 32;

namespace {
/// What the orders compare buffers by.
struct Keys {
  double lifetime = 0; // in distinct times
  double area = 0;     // bytes times lifetime
  double pressure = 0; // bytes of all live buffers, over the lifetime
  int64_t busiest = 0; // most bytes live at a time of its life
  int64_t start = 0;   // of its first interval
  int64_t end = 0;     // of its last interval
  int64_t bytes = 0;
};

/// Live bytes over time: sums and maxima over ranges of distinct times.
class Timeline {
public:
  explicit Timeline(const PackingProblem &problem);

  /// Adds one live interval to the keys of a buffer.
  void measure(const LiveInterval &interval, Keys &keys) const;

private:
  size_t indexOf(int64_t time) const {
    return lower_bound(times, time) - times.begin();
  }

  std::vector<int64_t> times;
  std::vector<double> sums;                 // live bytes before each time
  std::vector<std::vector<int64_t>> maxima; // over 2^i times from each
};
} // namespace

Timeline::Timeline(const PackingProblem &problem) {
  for (const PackingBuffer &buffer : problem.buffers)
    for (const LiveInterval &interval : buffer.live) {
      times.push_back(interval.start);
      times.push_back(interval.end);
    }
  llvm::sort(times);
  times.erase(llvm::unique(times), times.end());
  std::vector<int64_t> live(times.size() + 1);
  for (const PackingBuffer &buffer : problem.buffers)
    for (const LiveInterval &interval : buffer.live) {
      live[indexOf(interval.start)] += buffer.bytes;
      live[indexOf(interval.end)] -= buffer.bytes;
    }
  std::partial_sum(live.begin(), live.end(), live.begin());
  live.resize(times.size());
  sums.push_back(0);
  for (int64_t bytes : live)
    sums.push_back(sums.back() + static_cast<double>(bytes));
  maxima.push_back(std::move(live));
  for (size_t width = 1; 2 * width <= times.size(); width *= 2) {
    const std::vector<int64_t> &half = maxima.back();
    std::vector<int64_t> level(times.size() - 2 * width + 1);
    for (size_t i = 0; i < level.size(); ++i)
      level[i] = std::max(half[i], half[i + width]);
    maxima.push_back(std::move(level));
  }
}

void Timeline::measure(const LiveInterval &interval, Keys &keys) const {
  size_t first = indexOf(interval.start), last = indexOf(interval.end);
  keys.lifetime += static_cast<double>(last - first);
  keys.pressure += sums[last] - sums[first];
  size_t level = 0;
  while (2ull << level <= last - first)
    ++level;
  keys.busiest = std::max({keys.busiest, maxima[level][first],
                           maxima[level][last - (1ull << level)]});
}

/// The keys of each buffer.
static std::vector<Keys> getKeys(const PackingProblem &problem) {
  Timeline timeline(problem);
  std::vector<Keys> all(problem.buffers.size());
  for (auto [keys, buffer] : zip(all, problem.buffers)) {
    keys.bytes = buffer.bytes;
    if (buffer.live.empty())
      continue;
    for (const LiveInterval &interval : buffer.live)
      timeline.measure(interval, keys);
    keys.area = keys.lifetime * static_cast<double>(buffer.bytes);
    keys.start = buffer.live.front().start;
    keys.end = buffer.live.back().end;
  }
  return all;
}

using Less = bool (*)(const Keys &, const Keys &);

/// The orders, the strongest first.
static constexpr Less orders[] = {
    // The times with most bytes get their buffers first.
    [](const Keys &a, const Keys &b) {
      return std::tie(a.busiest, a.bytes) > std::tie(b.busiest, b.bytes);
    },
    [](const Keys &a, const Keys &b) { return a.bytes > b.bytes; },
    [](const Keys &a, const Keys &b) { return a.area > b.area; },
    [](const Keys &a, const Keys &b) {
      return std::tie(a.busiest, a.area) > std::tie(b.busiest, b.area);
    },
    [](const Keys &a, const Keys &b) {
      return std::tie(a.lifetime, a.bytes) > std::tie(b.lifetime, b.bytes);
    },
    [](const Keys &a, const Keys &b) {
      return a.start != b.start ? a.start < b.start : a.bytes > b.bytes;
    },
    [](const Keys &a, const Keys &b) { return a.pressure > b.pressure; },
    [](const Keys &a, const Keys &b) {
      return a.end != b.end ? a.end > b.end : a.bytes > b.bytes;
    },
};

void nlp::solver::packGreedily(PackingState &state) {
  std::vector<Keys> keys = getKeys(state.problem);
  std::vector<uint32_t> movable;
  for (size_t i = 0; i < keys.size(); ++i)
    if (!state.problem.buffers[i].fixedOffset)
      movable.push_back(i);

  int64_t work = 0;
  for (FitRule rule : {FitRule::First, FitRule::Best})
    for (Less less : orders) {
      bool isFirst = state.best.offsets.empty();
      if (!isFirst && (state.isDone() || state.shouldStop() ||
                       work > state.options.improveWork / 2))
        return;
      std::vector<uint32_t> order = movable;
      llvm::stable_sort(order, [&](uint32_t a, uint32_t b) {
        return less(keys[a], keys[b]);
      });
      Placer placer(state.problem, /*placesMost=*/true);
      int64_t limit = isFirst ? INT64_MAX : state.best.height;
      if (placer.place(order, rule, limit) == order.size())
        state.offer(placer.offsets, placer.getHeight());
      work += placer.getWork();
    }
}

int64_t nlp::solver::repackOffenders(PackingState &state, int64_t limit) {
  const std::vector<PackingBuffer> &buffers = state.problem.buffers;
  std::vector<Keys> keys = getKeys(state.problem);
  std::vector<uint32_t> order;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].fixedOffset)
      order.push_back(i);
  llvm::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return orders[0](keys[a], keys[b]);
  });
  std::vector<int64_t> offsets = state.best.offsets;
  int64_t work = 0;
  for (int round = 0; round < maxRepacks && work <= limit; ++round) {
    if (state.isDone() || state.shouldStop())
      break;
    std::stable_partition(order.begin(), order.end(), [&](uint32_t buffer) {
      return offsets[buffer] + buffers[buffer].bytes > state.target;
    });
    Placer placer(state.problem, /*placesMost=*/true);
    placer.place(order, FitRule::First);
    work += placer.getWork();
    offsets = placer.offsets;
    state.offer(offsets, placer.getHeight());
  }
  return work;
}
