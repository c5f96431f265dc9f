//===- ArenaPackingSearch.cpp - Exact search for a packing *- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depth-first search over canonical packings: those in which every buffer lies
// as low as the ones below it allow. If any packing keeps the capacity, a
// canonical one does, and it can be built from the bottom: buffers are placed
// in the order of (offset, rank), each at its floor, the highest end of what is
// placed and live with it. At each step:
//
// - A buffer whose floor lies below the last one placed waits: it is not placed
//   before a further buffer has come to lie under it.
// - One machine: where the buffers live at one time get release heights (their
//   floors, or for those that wait the lowest end of a buffer yet to come),
//   then for each height r the bytes of those released at r or above must fit
//   between r and the capacity.
// - No buffer is placed at or above the lowest end that some other open buffer
//   could have right now, since that one could be put there afterwards, below.
// - What is open falls apart where no open buffer spans a point in time; the
//   parts are searched on their own.
// - A part that failed fails again: parts are remembered by a hash of their
//   buffers' floors. A collision could only lose a packing, never make a wrong
//   one.
//
// Ranks decide what is tried first; several are taken in turn, with limits that
// double. The canonical order, dominance by lowest end, splitting in time and
// turns of orders are as in M. D. Moffitt, "MiniMalloc" (ASPLOS 2023); the one
// machine bound with waiting buffers and the memory of failures are additions.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace nlp::solver;

/// Parts that the memory of failures holds at most.
static constexpr size_t failureCount = 1 << 20;

/// Work of the first turn.
static constexpr int64_t firstLimit = 2'000'000;

int64_t Item::getLowestOffset(int64_t offset) const {
  offset = alignTo(offset, alignment);
  auto block = llvm::upper_bound(
      blocked, offset,
      [](int64_t at, const std::pair<int64_t, int64_t> &range) {
        return at < range.second;
      });
  for (; block != blocked.end() && block->first < offset + bytes; ++block)
    if (block->second > offset)
      offset = alignTo(block->second, alignment);
  return offset;
}

Searcher::Searcher(const SearchInstance &instance, std::vector<Item> items,
                   int64_t capacity, std::vector<uint64_t> &failures)
    : items(std::move(items)), instance(instance), capacity(capacity),
      failures(failures), sectionSums(instance.sectionBytes.size()),
      obstaclesSummed(instance.sectionBytes.size()) {
  offsets.assign(this->items.size(), -1);
  for (const Item &item : this->items)
    floors.push_back(item.getLowestOffset(0));
}

/// Puts `item` on its floor (8) and raises those of its open neighbours. False
/// where one of them can no longer be placed.
bool Searcher::place(uint32_t index) {
  const Item &item = items[index];
  offsets[index] = floors[index];
  placed.push_back(index);
  int64_t end = floors[index] + item.bytes;
  bool fits = end <= capacity;
  for (uint32_t other : item.neighbours) {
    if (offsets[other] >= 0 || floors[other] >= end)
      continue;
    trail.emplace_back(other, floors[other]);
    floors[other] = items[other].getLowestOffset(end);
    fits &= floors[other] + items[other].bytes <= capacity;
  }
  work += 2 * item.neighbours.size();
  return fits;
}

/// Goes back to where `placed` and `trail` had these sizes.
void Searcher::undo(size_t placedSize, size_t trailSize) {
  while (trail.size() > trailSize) {
    floors[trail.back().first] = trail.back().second;
    trail.pop_back();
  }
  while (placed.size() > placedSize) {
    offsets[placed.back()] = -1;
    placed.pop_back();
  }
}

/// Whether the bounds allow all of `open` to be placed at `last` or after it:
/// (9) and (10) of docs/Planner/Packing.md.
bool Searcher::canFinish(ArrayRef<uint32_t> open, Last last) {
  releases.clear();
  for (uint32_t index : open) {
    int64_t release = floors[index];
    if (waits(index, last)) {
      release = capacity + 1;
      for (uint32_t other : items[index].neighbours)
        if (offsets[other] < 0)
          release = std::min(release, std::max(floors[other], last.offset) +
                                          items[other].bytes);
      work += 2 * items[index].neighbours.size();
      if (release + items[index].bytes > capacity)
        return false;
    }
    releases.emplace_back(release, index);
    for (uint32_t section : items[index].sections)
      sectionSums[section] = obstaclesSummed[section] = 0;
  }
  llvm::sort(releases, std::greater<>());
  for (auto [release, index] : releases) {
    const Item &item = items[index];
    work += 3 * item.sections.size() + 16;
    int64_t room = capacity - release - item.bytes;
    for (uint32_t section : item.sections) {
      int64_t &sum = sectionSums[section];
      const auto &obstacles = instance.obstacles[section];
      for (uint32_t &next = obstaclesSummed[section];
           next < obstacles.size() && obstacles[next].first >= release; ++next)
        sum += obstacles[next].second;
      if (sum > room)
        return false;
      sum += item.bytes;
    }
  }
  return true;
}

/// A key for the part `open` as it stands: its items, their floors, and which
/// of them wait. What can follow depends on nothing else.
uint64_t Searcher::getKey(ArrayRef<uint32_t> open, Last last) const {
  uint64_t key = 0;
  for (uint32_t index : open)
    key += scatterBits(
        scatterBits(items[index].buffer * 2 + waits(index, last) + 1) +
        static_cast<uint64_t>(floors[index]));
  key = scatterBits(key);
  return key ? key : 1;
}

/// Searches the parts into which `open` without `without` falls.
Outcome Searcher::solveParts(ArrayRef<uint32_t> open, uint32_t without,
                             Last last) {
  // `open` is in the order of first sections, so one pass finds the parts.
  SmallVector<uint32_t, 0> rest;
  SmallVector<std::pair<uint32_t, uint32_t>, 8> parts; // length and start
  uint32_t reach = 0;
  rest.reserve(open.size());
  for (uint32_t index : open) {
    if (index == without)
      continue;
    const Item &item = items[index];
    if (rest.empty() || item.sections.front() > reach)
      parts.emplace_back(0, rest.size());
    reach = rest.empty() ? item.sections.back()
                         : std::max(reach, item.sections.back());
    rest.push_back(index);
    ++parts.back().first;
  }
  // Small parts fail sooner.
  llvm::sort(parts);
  for (auto [length, start] : parts) {
    Outcome outcome = solve(ArrayRef(rest).slice(start, length), last);
    if (outcome != Outcome::Found)
      return outcome;
  }
  return Outcome::Found;
}

/// Places all of `open`, one part, or leaves all as it was.
Outcome Searcher::solve(ArrayRef<uint32_t> open, Last last) {
  if (work > workLimit)
    return Outcome::OutOfWork;
  if (++steps % 4096 == 0 && *shouldStop && (*shouldStop)())
    return Outcome::OutOfWork;
  uint64_t key = getKey(open, last);
  uint64_t &memory = failures[key & (failures.size() - 1)];
  if (memory == key)
    return Outcome::Failed;

  SmallVector<std::pair<int64_t, uint32_t>, 0> candidates;
  int64_t lowestEnd = INT64_MAX;
  for (uint32_t index : open) {
    lowestEnd = std::min(lowestEnd, floors[index] + items[index].bytes);
    if (!waits(index, last))
      candidates.emplace_back(floors[index], index);
  }
  llvm::sort(candidates);
  work += 16 * open.size();
  size_t placedSize = placed.size(), trailSize = trail.size();
  for (auto [floor, index] : candidates) {
    if (floor >= lowestEnd)
      break;
    if (items[index].twin >= 0 && offsets[items[index].twin] < 0)
      continue;
    // Everything before this candidate waits from here on. If that cannot be,
    // it cannot be for later candidates either.
    Last next{floor, index};
    if (!canFinish(open, next))
      break;
    if (place(index)) {
      Outcome outcome = solveParts(open, index, next);
      if (outcome != Outcome::Failed)
        return outcome;
    }
    undo(placedSize, trailSize);
  }
  memory = key;
  return Outcome::Failed;
}

Outcome Searcher::run(int64_t steps, const std::function<bool()> &stop) {
  workLimit = work + steps;
  shouldStop = &stop;
  undo(0, 0);
  std::vector<uint32_t> open(items.size());
  std::iota(open.begin(), open.end(), 0);
  llvm::stable_sort(open, [&](uint32_t a, uint32_t b) {
    return items[a].sections.front() < items[b].sections.front();
  });
  return solveParts(open, items.size(), Last());
}

/// Orders take turns, as they are and disturbed, with limits that double from
/// round to round: search has a heavy tail, so that many short attempts find
/// more than a long one. What failed in one turn is known in the next.
SearchResult nlp::solver::searchPacking(const SearchInstance &instance,
                                        int64_t capacity, int64_t work,
                                        const PackingOptions &options,
                                        std::vector<int64_t> &offsets) {
  static constexpr StringLiteral orders[] = {"TAW", "WAT", "TWA", "WTA"};
  constexpr size_t orderCount = std::size(orders);
  std::vector<uint64_t> failures(failureCount);
  int64_t limit = std::max(firstLimit, 4 * instance.descentWork);
  for (uint64_t turn = 0;; ++turn) {
    bool isPlain = turn / orderCount % 2 == 0;
    double noise = isPlain ? 0 : turn % 2 ? 0.1 : 0.5;
    Searcher searcher(instance,
                      rankItems(instance, orders[turn % orderCount], noise,
                                options.seed + turn),
                      capacity, failures);
    Outcome outcome = searcher.run(std::min(limit, work), options.shouldStop);
    work -= searcher.work + instance.setupWork;
    if (outcome == Outcome::Failed)
      return SearchResult::Impossible;
    if (outcome == Outcome::Found) {
      for (auto [item, offset] : zip(searcher.items, searcher.offsets))
        offsets[item.buffer] = offset;
      return SearchResult::Found;
    }
    if (work <= 0 || (options.shouldStop && options.shouldStop()))
      return SearchResult::OutOfWork;
    if (turn % (2 * orderCount) == 2 * orderCount - 1)
      limit *= 2;
  }
}
