//===- ArenaPackingSearch.cpp - Exact search for a packing *- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depth-first search over canonical packings: those in which every buffer lies
// as low as the ones below it allow. If any packing keeps the capacity, a
// Depth-first search over left-shifted packings: those in which no buffer can
// be let down to a lower place. If any packing keeps the capacity, such a one
// does. An open buffer either lies on its present floor, the highest end of
// what is placed and live with it, or it waits, and will lie on a buffer that
// is open now. The search takes a buffer that nothing open can come to lie
// under, places it on its floor, and if that fails lets it wait.
//
// - What waits has the lowest end of an open neighbour as its least offset.
// - One machine: for each time and each height r, the bytes of what is live
//   then and has a least offset of r or above must fit between r and the
//   capacity.
// - What is open falls apart where no open buffer spans a point in time; the
//   parts are searched on their own, and ranked anew by what is still open.
// - A part that failed fails again: parts are remembered by a hash of their
//   buffers' floors. A collision could only lose a packing, never make a wrong
//   one.
//
// Which buffer is next is up to a rule and an order of rank; several take
// turns. Ranks, splitting in time and turns are as in M. D. Moffitt,
// "MiniMalloc" (ASPLOS 2023), whose canonical order the rule of the lowest
// floor keeps.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingPartial.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace nlp::solver;

/// Parts that the memory of failures holds at most.
static constexpr size_t failureCount = 1 << 20;

/// Work of the first turn.
static constexpr int64_t firstLimit = 4'000'000;

namespace {
enum class Outcome { Found, Failed, OutOfWork };

/// When ranks are set anew from the bytes that are still open.
enum class RankTime { Once, AtSplits, Always };

/// A way to search.
struct Strategy {
  ChoiceRule rule;
  RankTime rankTime;
  StringLiteral order;
};

/// One attempt.
class Searcher {
public:
  Searcher(PartialPacking &packing, const Strategy &strategy, int64_t workLimit,
           const std::function<bool()> &shouldStop);
  Outcome run();

private:
  Outcome solve(ArrayRef<uint32_t> open);
  Outcome solveParts(ArrayRef<uint32_t> open);
  void rank(ArrayRef<uint32_t> open);

  PartialPacking &packing;
  const Strategy &strategy;
  int64_t workLimit;
  const std::function<bool()> &shouldStop;
  int64_t steps = 0;
  std::vector<uint32_t> ranks;
};
} // namespace

/// The ways that take turns.
static constexpr Strategy strategies[] = {
    {ChoiceRule::Lowest, RankTime::AtSplits, "TLA"},
    {ChoiceRule::Lowest, RankTime::AtSplits, "LAT"},
    {ChoiceRule::Lowest, RankTime::AtSplits, "TAL"},
    {ChoiceRule::LowestFailing, RankTime::Once, "TLA"},
    {ChoiceRule::LowestFailing, RankTime::Once, "LAT"},
    {ChoiceRule::FewestFirst, RankTime::Once, "LAT"},
    {ChoiceRule::LowestFailing, RankTime::Once, "TAL"},
    {ChoiceRule::LowestFailing, RankTime::Always, "TLA"},
};

Searcher::Searcher(PartialPacking &packing, const Strategy &strategy,
                   int64_t workLimit, const std::function<bool()> &shouldStop)
    : packing(packing), strategy(strategy), workLimit(workLimit),
      shouldStop(shouldStop), ranks(packing.items.size()) {
  std::iota(ranks.begin(), ranks.end(), 0);
}

/// Shares the ranks of `open` out anew.
void Searcher::rank(ArrayRef<uint32_t> open) {
  std::vector<std::pair<SmallVector<double, 3>, uint32_t>> keyed;
  std::vector<uint32_t> free;
  for (uint32_t item : open) {
    keyed.emplace_back(
        getRankKey(packing.items[item], strategy.order, packing.openBytes),
        item);
    free.push_back(ranks[item]);
    packing.work += packing.items[item].sections.size() + 64;
  }
  llvm::sort(keyed);
  llvm::sort(free);
  for (size_t i = 0; i < free.size(); ++i)
    ranks[keyed[i].second] = free[i];
}

/// Searches the parts into which what is open of `candidates` falls.
Outcome Searcher::solveParts(ArrayRef<uint32_t> candidates) {
  // They are in the order of first sections, so one pass finds the parts.
  std::vector<uint32_t> rest;
  SmallVector<std::pair<uint32_t, uint32_t>, 4> parts; // length and start
  uint32_t reach = 0;
  rest.reserve(candidates.size());
  for (uint32_t index : candidates) {
    if (!packing.isOpen(index))
      continue;
    const Item &item = packing.items[index];
    if (rest.empty() || item.sections.front() > reach)
      parts.emplace_back(0, rest.size());
    reach = rest.empty() ? item.sections.back()
                         : std::max(reach, item.sections.back());
    rest.push_back(index);
    ++parts.back().first;
  }
  std::vector<uint32_t> oldRanks;
  if (strategy.rankTime == RankTime::Always ||
      (strategy.rankTime == RankTime::AtSplits && parts.size() > 1)) {
    for (uint32_t item : rest)
      oldRanks.push_back(ranks[item]);
    rank(rest);
  }
  // Small parts fail sooner.
  llvm::sort(parts);
  Outcome outcome = Outcome::Found;
  for (auto [length, start] : parts) {
    outcome = solve(ArrayRef(rest).slice(start, length));
    if (outcome != Outcome::Found)
      break;
  }
  for (auto [item, oldRank] : zip(rest, oldRanks))
    ranks[item] = oldRank;
  return outcome;
}

/// Places all of `open`, one part, or leaves all as it was.
Outcome Searcher::solve(ArrayRef<uint32_t> open) {
  if (packing.work > workLimit)
    return Outcome::OutOfWork;
  if (++steps % 256 == 0 && shouldStop && shouldStop())
    return Outcome::OutOfWork;
  std::vector<uint64_t> &failures = packing.memory.failures;
  SmallVector<uint64_t, 4> keys;
  PartialPacking::Mark start = packing.getMark();
  for (bool fits = true; fits;) {
    packing.work += 16 * open.size();
    keys.push_back(packing.getKey(open));
    if (failures[keys.back() & (failures.size() - 1)] == keys.back())
      break;
    int64_t item = chooseItem(packing, open, strategy.rule, ranks);
    if (item < 0)
      break;
    PartialPacking::Mark before = packing.getMark();
    if (packing.place(item)) {
      Outcome outcome = solveParts(open);
      if (outcome != Outcome::Failed)
        return outcome;
    }
    packing.undo(before);
    fits = packing.wait(item);
  }
  packing.undo(start);
  for (uint64_t key : keys)
    failures[key & (failures.size() - 1)] = key;
  return Outcome::Failed;
}

Outcome Searcher::run() {
  std::vector<uint32_t> open(packing.items.size());
  std::iota(open.begin(), open.end(), 0);
  llvm::stable_sort(open, [&](uint32_t a, uint32_t b) {
    return packing.items[a].sections.front() <
           packing.items[b].sections.front();
  });
  return solveParts(open);
}

/// Strategies take turns, as they are and disturbed, with limits that grow from
/// round to round: search has a heavy tail, so that many short attempts find
/// more than a long one. What failed in one turn is known in the next.
SearchResult nlp::solver::searchPacking(const SearchInstance &instance,
                                        int64_t capacity, int64_t work,
                                        const PackingOptions &options,
                                        std::vector<int64_t> &offsets) {
  constexpr size_t count = std::size(strategies);
  SearchMemory memory;
  memory.failures.resize(failureCount);
  memory.failureCounts.resize(instance.sectionBytes.size());
  int64_t limit = std::max(firstLimit, 4 * instance.descentWork);
  for (uint64_t turn = 0;; ++turn) {
    const Strategy &strategy = strategies[turn % count];
    double noise = turn / count % 2 == 0 ? 0 : 0.1;
    PartialPacking packing(
        instance,
        rankItems(instance, strategy.order, noise, options.seed + turn),
        capacity, memory);
    Outcome outcome =
        Searcher(packing, strategy, std::min(limit, work), options.shouldStop)
            .run();
    work -= packing.work + instance.setupWork;
    if (outcome == Outcome::Failed)
      return SearchResult::Impossible;
    if (outcome == Outcome::Found) {
      for (auto [item, offset] : zip(packing.items, packing.offsets))
        offsets[item.buffer] = offset;
      return SearchResult::Found;
    }
    if (work <= 0 || (options.shouldStop && options.shouldStop()))
      return SearchResult::OutOfWork;
    if (turn % count == count - 1)
      limit += limit / 2;
  }
}
