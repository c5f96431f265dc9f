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

using namespace llvm;
using namespace nlp::solver;

/// Sets the sections of `items`; returns how many there are.
static size_t findSections(const PackingProblem &problem,
                           std::vector<Item> &items) {
  struct Event {
    int64_t time;
    bool isStart;
    uint32_t item;
  };
  std::vector<Event> events;
  for (auto [i, item] : enumerate(items))
    for (const LiveInterval &live : problem.buffers[item.buffer].live) {
      events.push_back({live.start, true, static_cast<uint32_t>(i)});
      events.push_back({live.end, false, static_cast<uint32_t>(i)});
    }
  llvm::sort(events, [](const Event &a, const Event &b) {
    return std::tie(a.time, a.isStart, a.item) <
           std::tie(b.time, b.isStart, b.item);
  });
  // A set of live buffers is maximal where an end follows a start.
  std::vector<uint32_t> firstSection(items.size());
  uint32_t sectionCount = 0;
  bool grown = false;
  for (const Event &event : events) {
    if (event.isStart) {
      firstSection[event.item] = sectionCount;
      grown = true;
      continue;
    }
    sectionCount += grown;
    grown = false;
    for (uint32_t i = firstSection[event.item]; i < sectionCount; ++i)
      items[event.item].sections.push_back(i);
  }
  return sectionCount;
}

/// What `item` is ranked by; small values come first.
static std::vector<double> getRankKey(const Item &item, StringRef order,
                                      ArrayRef<int64_t> sectionBytes) {
  std::vector<double> key;
  double width = static_cast<double>(item.sections.size());
  double bytes = static_cast<double>(item.bytes);
  for (char letter : order) {
    double value = letter == 'W'   ? width
                   : letter == 'A' ? width * bytes
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
  std::vector<std::pair<std::vector<double>, uint32_t>> keyed;
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
          ranked[other].sections == item.sections)
        item.twin = other;
    ranked.push_back(std::move(item));
  }
  return ranked;
}

std::optional<SearchInstance>
nlp::solver::makeSearchInstance(const PackingProblem &problem,
                                int64_t maxPairs) {
  SearchInstance instance;
  std::vector<Item> &items = instance.items;
  std::vector<uint32_t> itemOf(problem.buffers.size());
  LiveIndex index(problem);
  for (auto [i, buffer] : enumerate(problem.buffers)) {
    index.insert(i);
    itemOf[i] = items.size();
    if (buffer.bytes == 0 || buffer.live.empty())
      continue;
    Item &item = items.emplace_back();
    item.bytes = buffer.bytes;
    item.alignment = buffer.alignment;
    item.buffer = i;
  }
  for (Item &item : items) {
    index.findConflicts(item.buffer, item.neighbours);
    llvm::erase(item.neighbours, item.buffer);
    for (uint32_t &other : item.neighbours)
      other = itemOf[other];
    instance.pairCount += item.neighbours.size();
    if (instance.pairCount > maxPairs)
      return std::nullopt;
  }
  instance.sectionBytes.resize(findSections(problem, items));
  for (const Item &item : items) {
    instance.membershipCount += item.sections.size();
    for (uint32_t section : item.sections)
      instance.sectionBytes[section] += item.bytes;
  }
  return instance;
}
