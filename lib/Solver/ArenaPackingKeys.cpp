//===- ArenaPackingKeys.cpp - What packing compares buffers by --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Live bytes over all distinct times, with sums and maxima over ranges.
// O(n log n) in the live intervals.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace nlp::solver;

namespace {
/// Live bytes over time: sums and maxima over ranges of distinct times.
class Timeline {
public:
  explicit Timeline(const PackingProblem &problem);

  /// Adds one live interval to the keys of a buffer.
  void measure(const LiveInterval &interval, BufferKeys &keys) const;

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

void Timeline::measure(const LiveInterval &interval, BufferKeys &keys) const {
  size_t first = indexOf(interval.start), last = indexOf(interval.end);
  keys.lifetime += static_cast<double>(last - first);
  keys.pressure += sums[last] - sums[first];
  size_t level = 0;
  while (2ull << level <= last - first)
    ++level;
  keys.busiest = std::max({keys.busiest, maxima[level][first],
                           maxima[level][last - (1ull << level)]});
}

std::vector<BufferKeys>
nlp::solver::getBufferKeys(const PackingProblem &problem) {
  Timeline timeline(problem);
  std::vector<BufferKeys> all(problem.buffers.size());
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
