//===- ArenaPackingChoice.cpp - What the search decides next --------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search may decide on any item that nothing open can come to lie under.
// The rules differ in where they look first; none is best on all problems, so
// they take turns.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingPartial.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace nlp::solver;

/// The item with the lowest value of `getHeight`, the first rank among equals.
template <typename Function>
static int64_t getLowest(const PartialPacking &packing, ArrayRef<uint32_t> open,
                         ArrayRef<uint32_t> ranks, Function getHeight) {
  int64_t best = -1, bestHeight = INT64_MAX;
  for (uint32_t item : open) {
    if (!packing.isReady(item))
      continue;
    int64_t height = getHeight(item);
    if (best < 0 || height < bestHeight ||
        (height == bestHeight && ranks[item] < ranks[best])) {
      best = item;
      bestHeight = height;
    }
  }
  return best;
}

static int64_t chooseLowestFailing(PartialPacking &packing,
                                   ArrayRef<uint32_t> open,
                                   ArrayRef<uint32_t> ranks) {
  int64_t unit = std::max<int64_t>(1, packing.capacity >> 20);
  return getLowest(packing, open, ranks, [&](uint32_t item) {
    int64_t count = 0;
    for (uint32_t section : packing.items[item].sections)
      count = std::max(count, packing.memory.failureCounts[section]);
    packing.work += packing.items[item].sections.size();
    return packing.floors[item] - count * unit;
  });
}

/// Of the section with fewest open items that may be its lowest, for the number
/// of times it has failed, such an item. -1 if there is none.
static int64_t chooseFewestFirst(PartialPacking &packing,
                                 ArrayRef<uint32_t> open,
                                 ArrayRef<uint32_t> ranks) {
  uint32_t first = UINT32_MAX, last = 0;
  for (uint32_t item : open) {
    first = std::min(first, packing.items[item].sections.front());
    last = std::max(last, packing.items[item].sections.back());
  }
  double bestValue = INFINITY;
  int64_t best = -1;
  for (uint32_t section = first; section <= last; ++section) {
    int64_t highest = packing.capacity - packing.openBytes[section];
    int64_t count = 0, lowest = -1;
    for (uint32_t item : reverse(packing.sectionItems[section])) {
      ++packing.work;
      if (!packing.isOpen(item))
        continue;
      if (packing.leastOffsets[item] > highest)
        break;
      ++count;
      if (packing.isReady(item) && (lowest < 0 || ranks[item] < ranks[lowest]))
        lowest = item;
    }
    double value =
        static_cast<double>(count) /
        static_cast<double>(1 + packing.memory.failureCounts[section]);
    if (lowest >= 0 && value < bestValue) {
      bestValue = value;
      best = lowest;
    }
  }
  return best;
}

/// `item`, or, where an open neighbour could come to lie under it, that one,
/// and so on. -1 where items wait for each other.
static int64_t descend(PartialPacking &packing, int64_t item) {
  for (size_t round = 0; round < packing.items.size(); ++round) {
    while (packing.items[item].twin >= 0 &&
           packing.isOpen(packing.items[item].twin))
      item = packing.items[item].twin;
    bool waits = packing.waiting[item];
    int64_t lowest = -1,
            lowestEnd = waits ? INT64_MAX : packing.floors[item] + 1;
    for (uint32_t other : packing.items[item].neighbours)
      if (packing.isOpen(other) && packing.getLeastEnd(other) < lowestEnd) {
        lowest = other;
        lowestEnd = packing.getLeastEnd(other);
      }
    packing.work += 2 * packing.items[item].neighbours.size();
    if (lowest < 0)
      return waits ? -1 : item;
    item = lowest;
  }
  return -1;
}

int64_t nlp::solver::chooseItem(PartialPacking &packing,
                                ArrayRef<uint32_t> open, ChoiceRule rule,
                                ArrayRef<uint32_t> ranks) {
  int64_t item = -1;
  if (rule == ChoiceRule::LowestFailing)
    item = chooseLowestFailing(packing, open, ranks);
  else if (rule == ChoiceRule::FewestFirst)
    item = chooseFewestFirst(packing, open, ranks);
  if (item >= 0)
    item = descend(packing, item);
  if (item >= 0)
    return item;
  // Whatever waits will lie on something that does not: nothing comes to lie
  // under the lowest that does not wait.
  return getLowest(packing, open, ranks,
                   [&](uint32_t other) { return packing.floors[other]; });
}
