//===- ArenaPackingPartial.cpp - A packing under construction -------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Placing, waiting and the bounds. A change costs the neighbours of what
// changed, and the sections in which a least offset rose.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingPartial.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace nlp::solver;

int64_t Item::getLowestOffset(int64_t offset) const {
  offset = alignTo(offset, alignment);
  if (blocked.empty())
    return offset;
  auto block = std::upper_bound(
      blocked.begin(), blocked.end(), offset,
      [](int64_t at, const std::pair<int64_t, int64_t> &range) {
        return at < range.second;
      });
  for (; block != blocked.end() && block->first < offset + bytes; ++block)
    if (block->second > offset)
      offset = alignTo(block->second, alignment);
  return offset;
}

PartialPacking::PartialPacking(const SearchInstance &instance,
                               std::vector<Item> ranked, int64_t capacity,
                               SearchMemory &memory)
    : items(std::move(ranked)), capacity(capacity), memory(memory),
      offsets(items.size(), -1), waiting(items.size()),
      openBytes(instance.sectionBytes.size()),
      sectionItems(instance.sectionBytes.size()), instance(instance),
      isTouched(instance.sectionBytes.size()), nextTwins(items.size(), -1) {
  for (size_t i = 0; i < items.size(); ++i) {
    floors.push_back(items[i].getLowestOffset(0));
    if (items[i].twin >= 0)
      nextTwins[items[i].twin] = static_cast<int64_t>(i);
    for (uint32_t section : items[i].sections) {
      openBytes[section] += items[i].bytes;
      sectionItems[section].push_back(i);
    }
  }
  leastOffsets = floors;
}

void PartialPacking::touch(uint32_t item) {
  for (uint32_t section : items[item].sections)
    if (!isTouched[section]) {
      isTouched[section] = true;
      touched.push_back(section);
    }
  work += items[item].sections.size();
}

/// Notes that `item`, whose state is saved, lies at `leastOffset` or above.
bool PartialPacking::raise(uint32_t item, int64_t leastOffset) {
  if (leastOffset > leastOffsets[item]) {
    raised.emplace_back(item, getLeastEnd(item));
    leastOffsets[item] = leastOffset;
    touch(item);
  }
  return getLeastEnd(item) <= capacity;
}

bool PartialPacking::place(uint32_t index) {
  const Item &item = items[index];
  int64_t end = floors[index] + item.bytes;
  save(index);
  raised.emplace_back(index, getLeastEnd(index));
  offsets[index] = floors[index];
  leastOffsets[index] = -1;
  placed.push_back(index);
  for (uint32_t section : item.sections)
    openBytes[section] -= item.bytes;
  touch(index);
  bool fits = end <= capacity;
  for (uint32_t other : item.neighbours) {
    if (!isOpen(other) || floors[other] >= end)
      continue;
    save(other);
    floors[other] = items[other].getLowestOffset(end);
    waiting[other] = false;
    fits &= raise(other, floors[other]);
  }
  work += 2 * item.neighbours.size();
  return propagate() && fits;
}

bool PartialPacking::wait(uint32_t index) {
  bool fits = true;
  // What is equal to an item and comes after it does not lie below it.
  for (int64_t i = index; i >= 0 && fits; i = nextTwins[i]) {
    save(i);
    waiting[i] = true;
    fits &= raiseToSupport(i);
  }
  return propagate() && fits;
}

/// A waiting item lies on an open neighbour: (9) of docs/Planner/Packing.md.
bool PartialPacking::raiseToSupport(uint32_t index) {
  const Item &item = items[index];
  int64_t support = capacity;
  for (uint32_t other : item.neighbours)
    if (isOpen(other))
      support = std::min(support, getLeastEnd(other));
  work += 2 * item.neighbours.size();
  return raise(index, item.getLowestOffset(support));
}

/// Raises what waits for raised items, and looks at the touched sections.
bool PartialPacking::propagate() {
  bool fits = true;
  // Items that wait for each other might push each other up by a byte a time.
  size_t limit = 2 * items.size();
  for (size_t i = 0; i < raised.size() && i < limit && fits; ++i) {
    auto [item, oldEnd] = raised[i];
    work += items[item].neighbours.size();
    for (uint32_t other : items[item].neighbours) {
      if (!isOpen(other) || !waiting[other] || leastOffsets[other] < oldEnd)
        continue;
      save(other);
      fits &= raiseToSupport(other);
      if (!fits)
        break;
    }
  }
  raised.clear();
  for (uint32_t section : touched) {
    isTouched[section] = false;
    if (fits && !sectionFits(section)) {
      fits = false;
      ++memory.failureCounts[section];
    }
  }
  touched.clear();
  return fits;
}

/// Whether what is open in `section` fits one above the other: (10) of
/// docs/Planner/Packing.md.
bool PartialPacking::sectionFits(uint32_t section) {
  std::vector<uint32_t> &live = sectionItems[section];
  const auto &obstacles = instance.obstacles[section];
  // Insertion sort: little has changed since the last time.
  for (size_t i = 1; i < live.size(); ++i) {
    uint32_t item = live[i];
    size_t j = i;
    for (; j > 0 && leastOffsets[live[j - 1]] < leastOffsets[item]; --j)
      live[j] = live[j - 1];
    live[j] = item;
    work += i - j;
  }
  int64_t sum = 0;
  size_t obstacle = 0;
  work += 2 * live.size();
  for (uint32_t item : live) {
    int64_t least = leastOffsets[item];
    if (least < 0)
      break;
    for (; obstacle < obstacles.size() && obstacles[obstacle].first >= least;
         ++obstacle)
      sum += obstacles[obstacle].second;
    sum += items[item].bytes;
    if (least + sum > capacity)
      return false;
  }
  return true;
}

void PartialPacking::undo(Mark mark) {
  while (changes.size() > mark.changes) {
    const Change &change = changes.back();
    floors[change.item] = change.floor;
    leastOffsets[change.item] = change.leastOffset;
    waiting[change.item] = change.waiting;
    changes.pop_back();
  }
  while (placed.size() > mark.placed) {
    const Item &item = items[placed.back()];
    offsets[placed.back()] = -1;
    for (uint32_t section : item.sections)
      openBytes[section] += item.bytes;
    placed.pop_back();
  }
}

uint64_t PartialPacking::getKey(ArrayRef<uint32_t> open) const {
  uint64_t key = 0;
  for (uint32_t item : open)
    key +=
        scatterBits(scatterBits(items[item].buffer * 2ull + waiting[item] + 1) +
                    static_cast<uint64_t>(floors[item]));
  key = scatterBits(key);
  return key ? key : 1;
}
