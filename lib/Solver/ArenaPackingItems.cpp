//===- ArenaPackingItems.cpp - What exact packing sees ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns buffers into items with sections and neighbours, and ranks them.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingSearch.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <random>
#include <set>

using namespace llvm;
using namespace nlp::solver;

/// What the search is tried with at most. Its depth is the number of items.
static constexpr int64_t maxItems = 20'000;
static constexpr int64_t maxPairs = 4'000'000;

namespace {
/// A buffer becomes live, or stops to be.
struct Event {
  int64_t time;
  bool isStart;
  uint32_t item; // fixed buffers come behind the items

  bool operator<(const Event &other) const {
    return std::tie(time, isStart, item) <
           std::tie(other.time, other.isStart, other.item);
  }
};
} // namespace

/// Finds the sections of `instance`: the times at which the set of live items
/// is not contained in that of a neighbouring time. `fixed` are the buffers
/// with fixed offsets. Returns how many sections all items together have.
static int64_t findSections(const PackingProblem &problem,
                            ArrayRef<uint32_t> fixed,
                            SearchInstance &instance) {
  std::vector<Item> &items = instance.items;
  std::vector<Event> events;
  auto addEvents = [&](uint32_t buffer, uint32_t index) {
    for (const LiveInterval &live : problem.buffers[buffer].live) {
      events.push_back({live.start, true, index});
      events.push_back({live.end, false, index});
    }
  };
  for (auto [i, item] : enumerate(items))
    addEvents(item.buffer, i);
  for (auto [i, buffer] : enumerate(fixed))
    addEvents(buffer, items.size() + i);
  llvm::sort(events);

  int64_t memberships = 0;
  std::vector<uint32_t> firstSection(items.size());
  std::set<uint32_t> liveFixed;
  bool grown = false;
  // Closes a section where an item ends after one has started.
  auto closeSection = [&] {
    auto &obstacles = instance.obstacles.emplace_back();
    int64_t bytes = 0;
    for (uint32_t i : liveFixed) {
      const PackingBuffer &buffer = problem.buffers[fixed[i]];
      obstacles.emplace_back(*buffer.fixedOffset, buffer.bytes);
      bytes += buffer.bytes;
    }
    llvm::sort(obstacles, std::greater<>());
    instance.sectionBytes.push_back(bytes);
    grown = false;
  };
  for (const Event &event : events) {
    if (event.item >= items.size()) {
      if (event.isStart)
        liveFixed.insert(event.item - items.size());
      else
        liveFixed.erase(event.item - items.size());
      continue;
    }
    if (event.isStart) {
      firstSection[event.item] = instance.sectionBytes.size();
      grown = true;
      continue;
    }
    if (grown)
      closeSection();
    Item &item = items[event.item];
    for (size_t i = firstSection[event.item]; i < instance.sectionBytes.size();
         ++i) {
      item.sections.push_back(i);
      instance.sectionBytes[i] += item.bytes;
      ++memberships;
    }
  }
  return memberships;
}

SmallVector<double, 3> nlp::solver::getRankKey(const Item &item,
                                               StringRef order,
                                               ArrayRef<int64_t> sectionBytes) {
  SmallVector<double, 3> key;
  double lifetime = static_cast<double>(item.lifetime);
  double bytes = static_cast<double>(item.bytes);
  for (char letter : order) {
    double value = letter == 'L'   ? lifetime
                   : letter == 'A' ? lifetime * bytes
                                   : bytes;
    if (letter == 'T') {
      value = 0;
      for (uint32_t section : item.sections)
        value = std::max(value, static_cast<double>(sectionBytes[section]));
    }
    key.push_back(-value);
  }
  return key;
}

std::vector<Item> nlp::solver::rankItems(const SearchInstance &instance,
                                         StringRef order, double noise,
                                         uint64_t seed) {
  std::mt19937_64 random(seed);
  ArrayRef<Item> items = instance.items;
  std::vector<std::pair<SmallVector<double, 3>, uint32_t>> keyed;
  for (auto [i, item] : enumerate(items)) {
    keyed.emplace_back(getRankKey(item, order, instance.sectionBytes), i);
    for (double &value : keyed.back().first)
      value *= 1 + noise * static_cast<double>(random() >> 11) * 0x1p-53;
  }
  llvm::sort(keyed);
  std::vector<uint32_t> rankOf(items.size());
  for (auto [rank, entry] : enumerate(keyed))
    rankOf[entry.second] = rank;
  std::vector<Item> ranked;
  for (const auto &[key, index] : keyed) {
    Item item = items[index];
    for (uint32_t &other : item.neighbours)
      other = rankOf[other];
    llvm::sort(item.neighbours);
    for (uint32_t other : item.neighbours)
      if (other < ranked.size() && ranked[other].bytes == item.bytes &&
          ranked[other].alignment == item.alignment &&
          ranked[other].sections == item.sections &&
          ranked[other].blocked == item.blocked)
        item.twin = other;
    ranked.push_back(std::move(item));
  }
  return ranked;
}

/// Joins ranges that touch or overlap.
static void mergeRanges(std::vector<std::pair<int64_t, int64_t>> &ranges) {
  llvm::sort(ranges);
  size_t count = 0;
  for (auto range : ranges)
    if (count > 0 && range.first <= ranges[count - 1].second)
      ranges[count - 1].second =
          std::max(ranges[count - 1].second, range.second);
    else
      ranges[count++] = range;
  ranges.resize(count);
}

/// Sets the neighbours of the items and what is blocked for them. Returns how
/// many conflicts there are; stops above `maxPairs`.
static int64_t findNeighbours(const PackingProblem &problem,
                              ArrayRef<int64_t> itemOf, int64_t maxPairs,
                              std::vector<Item> &items) {
  LiveIndex index(problem);
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    index.insert(i);
  int64_t pairs = 0;
  std::vector<uint32_t> conflicts;
  for (Item &item : items) {
    conflicts.clear();
    index.findConflicts(item.buffer, conflicts);
    pairs += conflicts.size();
    if (pairs > maxPairs)
      break;
    for (uint32_t other : conflicts) {
      const PackingBuffer &buffer = problem.buffers[other];
      if (buffer.fixedOffset)
        item.blocked.emplace_back(*buffer.fixedOffset,
                                  *buffer.fixedOffset + buffer.bytes);
      else if (other != item.buffer)
        item.neighbours.push_back(itemOf[other]);
    }
    mergeRanges(item.blocked);
  }
  return pairs;
}

std::optional<SearchInstance>
nlp::solver::makeSearchInstance(const PackingProblem &problem, int64_t work) {
  SearchInstance instance;
  std::vector<int64_t> itemOf(problem.buffers.size(), -1);
  std::vector<uint32_t> fixed;
  for (auto [i, buffer] : enumerate(problem.buffers)) {
    // Buffers without bytes or life conflict with nothing.
    if (buffer.bytes == 0 || buffer.live.empty())
      continue;
    if (buffer.fixedOffset) {
      fixed.push_back(i);
      continue;
    }
    itemOf[i] = instance.items.size();
    Item &item = instance.items.emplace_back();
    item.bytes = buffer.bytes;
    item.alignment = buffer.alignment;
    item.buffer = i;
    for (const LiveInterval &live : buffer.live)
      item.lifetime += live.end - live.start;
  }
  int64_t count = instance.items.size();
  if (count > maxItems)
    return std::nullopt;
  int64_t pairs = findNeighbours(problem, itemOf, maxPairs, instance.items);
  if (pairs > maxPairs)
    return std::nullopt;
  int64_t memberships = findSections(problem, fixed, instance);
  // On the way down, half of the items are open on average.
  instance.setupWork = 16 * pairs;
  instance.descentWork = count * (16 * count + 3 * memberships) / 4;
  if (instance.setupWork + instance.descentWork > work)
    return std::nullopt;
  return instance;
}
