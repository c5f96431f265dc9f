//===- RecomputeOptions.cpp - What stages may keep --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Pareto set of what an item may keep. All choices are tried where they are
// few, else those that a local search around the best ones finds. Small
// storages follow the large ones: they are kept unless the op that makes them
// runs again anyway.
//
//===----------------------------------------------------------------------===//

#include "RecomputeItem.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace llvm;
using namespace nlp::solver;

/// All subsets of so many large storages are tried, if there is work for it.
static constexpr size_t kMaxSubsets = 11;
/// Choices tried by local search otherwise, at most.
static constexpr size_t kMaxTrials = 1500;
/// A storage is small below this share of the item's largest one.
static constexpr int64_t kSmallShare = 50;
static constexpr size_t kMaxOptions = 96;
static constexpr size_t kMaxLeaves = 16;

/// Whether `a` is no worse than `b` in all that matters.
static bool dominates(const ItemOption &a, const ItemOption &b) {
  return a.keptBytes <= b.keptBytes && a.againSeconds <= b.againSeconds &&
         a.backwardPeak <= b.backwardPeak && a.forwardPeak <= b.forwardPeak &&
         a.forwardSeconds <= b.forwardSeconds;
}

/// Thins a Pareto set out to `kMaxOptions`: by kept bytes, at even distances,
/// the fastest of each.
static void thinOut(std::vector<ItemOption> &options) {
  if (options.size() <= kMaxOptions)
    return;
  llvm::stable_sort(options, [](const ItemOption &a, const ItemOption &b) {
    return std::tie(a.keptBytes, a.againSeconds) <
           std::tie(b.keptBytes, b.againSeconds);
  });
  std::vector<ItemOption> kept;
  int64_t low = options.front().keptBytes, high = options.back().keptBytes;
  std::vector<const ItemOption *> best(kMaxOptions / 2), flattest(best.size());
  for (const ItemOption &option : options) {
    size_t slot = static_cast<__int128>(option.keptBytes - low) *
                  (best.size() - 1) / std::max<int64_t>(1, high - low);
    if (!best[slot] || option.againSeconds < best[slot]->againSeconds)
      best[slot] = &option;
    if (!flattest[slot] || option.backwardPeak < flattest[slot]->backwardPeak)
      flattest[slot] = &option;
  }
  for (size_t i = 0; i < best.size(); ++i) {
    if (best[i])
      kept.push_back(*best[i]);
    if (flattest[i] && flattest[i] != best[i])
      kept.push_back(*flattest[i]);
  }
  options = std::move(kept);
}

namespace {
/// Tries choices and keeps the Pareto set.
class OptionSearch {
public:
  OptionSearch(const Chain &chain, int32_t begin, int32_t end);
  ChainItem run();

private:
  /// Tries a choice for the large storages; whether that is new and good.
  bool offer(const ItemSimulator::Choice &choice);
  static bool add(ItemOption option, const ItemSimulator::Choice &choice,
                  std::vector<ItemOption> &options,
                  std::vector<ItemSimulator::Choice> &choices);
  void searchKept(size_t trials);
  void searchLeaves(size_t trials);

  ItemSimulator simulator;
  size_t maxWork;
  std::vector<int32_t> large, small;
  std::vector<ItemOption> options;
  std::vector<ItemSimulator::Choice> choices; ///< Of each option.
  std::vector<ItemOption> leaves;             ///< That keep nothing.
  std::vector<ItemSimulator::Choice> leafChoices;
  std::set<ItemSimulator::Choice> tried;
};
} // namespace

OptionSearch::OptionSearch(const Chain &chain, int32_t begin, int32_t end)
    : simulator(chain, begin, end), maxWork(chain.itemWork) {
  for (int32_t storage : simulator.getUseful()) {
    int64_t largest = simulator.getBytes(simulator.getUseful().front());
    (simulator.getBytes(storage) * kSmallShare < largest ? small : large)
        .push_back(storage);
  }
}

bool OptionSearch::offer(const ItemSimulator::Choice &choice) {
  if (!tried.insert(choice).second)
    return false;
  ItemSimulator::Choice refined = choice;
  for (int32_t storage : small)
    if (refined[storage] == ItemSimulator::kRemakeOnce)
      refined[storage] = ItemSimulator::kKeep;
  ItemOption option = simulator.simulate(refined);
  bool changed = false;
  for (int32_t storage : small)
    if (refined[storage] == ItemSimulator::kKeep &&
        simulator.isRemade(storage)) {
      refined[storage] = ItemSimulator::kRemakeOnce;
      changed = true;
    }
  if (changed)
    option = simulator.simulate(refined);
  return add(std::move(option), choice, options, choices);
}

/// Adds an option to a Pareto set; whether nothing in it is as good.
bool OptionSearch::add(ItemOption option, const ItemSimulator::Choice &choice,
                       std::vector<ItemOption> &options,
                       std::vector<ItemSimulator::Choice> &choices) {
  for (const ItemOption &other : options)
    if (dominates(other, option))
      return false;
  size_t left = 0;
  for (size_t i = 0; i < options.size(); ++i)
    if (!dominates(option, options[i])) {
      if (left != i) {
        options[left] = std::move(options[i]);
        choices[left] = std::move(choices[i]);
      }
      ++left;
    }
  options.resize(left);
  choices.resize(left);
  options.push_back(std::move(option));
  choices.push_back(choice);
  return true;
}

/// Tries what to keep.
void OptionSearch::searchKept(size_t trials) {
  ItemSimulator::Choice none = simulator.getForced();
  if (large.size() <= kMaxSubsets && size_t(1) << large.size() <= trials) {
    for (size_t mask = 0; mask < size_t(1) << large.size(); ++mask) {
      ItemSimulator::Choice choice = none;
      for (size_t i = 0; i < large.size(); ++i)
        choice[large[i]] |= mask >> i & 1;
      offer(choice);
    }
    return;
  }
  // From nothing and from everything, one storage more or less at a time.
  ItemSimulator::Choice all = none;
  for (int32_t storage : large)
    all[storage] = ItemSimulator::kKeep;
  std::vector<ItemSimulator::Choice> pending{none, all};
  offer(none);
  offer(all);
  trials = std::min(trials, kMaxTrials);
  for (size_t i = 0; i < pending.size() && tried.size() < trials; ++i)
    for (int32_t storage : large) {
      ItemSimulator::Choice next = pending[i];
      next[storage] ^= 1;
      if (offer(next))
        pending.push_back(std::move(next));
    }
}

/// Tries to make storages again for each use, where nothing is kept.
void OptionSearch::searchLeaves(size_t trials) {
  ItemSimulator::Choice none = simulator.getForced();
  std::vector<ItemSimulator::Choice> pending{none};
  add(simulator.simulate(none), none, leaves, leafChoices);
  tried.clear();
  trials = std::min(trials, kMaxTrials);
  for (size_t i = 0; i < pending.size() && tried.size() < trials; ++i)
    for (int32_t storage : simulator.getUseful()) {
      ItemSimulator::Choice next = pending[i];
      next[storage] ^= ItemSimulator::kRemakeEachTime;
      if (tried.insert(next).second &&
          add(simulator.simulate(next), next, leaves, leafChoices))
        pending.push_back(std::move(next));
    }
}

ChainItem OptionSearch::run() {
  size_t trials = maxWork / simulator.getLength();
  searchKept(trials);
  thinOut(options);
  ChainItem item;
  item.options = std::move(options);
  searchLeaves(trials / 4);
  llvm::stable_sort(leaves, [](const ItemOption &a, const ItemOption &b) {
    return a.againSeconds < b.againSeconds;
  });
  if (leaves.size() > kMaxLeaves)
    leaves.erase(leaves.begin() + kMaxLeaves / 2,
                 leaves.end() - kMaxLeaves / 2);
  for (ItemOption &leaf : leaves) {
    item.leaves.push_back(item.options.size());
    item.options.push_back(std::move(leaf));
  }
  return item;
}

ChainItem nlp::solver::makeItem(const Chain &chain, int32_t begin,
                                int32_t end) {
  return OptionSearch(chain, begin, end).run();
}
