//===- RecomputeTables.cpp - The frontier of a chain ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic program of docs/Planner/Recompute.md, (10) to (13): for every run
// of stages i to j the Pareto set of peak and time, from shorter runs. Runs of
// stages of the same kinds share a table. The first forward pass costs nothing
// extra, so that what reaches to the last stage has tables of its own, with
// more entries: the answer is read off them.
//
//===----------------------------------------------------------------------===//

#include "RecomputeTables.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace nlp::solver;

/// Stages that are run as one, at most, and forward ops in them.
static constexpr int32_t kMaxWidth = 3;
static constexpr int32_t kMaxItemOps = 96;
/// Binary digits of peaks that are told apart, inside and at the top.
static constexpr int kInnerDigits = 6;
static constexpr int kTopDigits = 8;
/// Places to split a run are tried at distances that grow with that from its
/// nearer end, divided by this.
static constexpr int32_t kDense = 12;

void TableBuilder::grow(size_t slot) {
  if (slots.empty())
    firstSlot = slot;
  if (slot < firstSlot) {
    size_t more = firstSlot - slot;
    slots.insert(slots.begin(), more, {});
    fastest.insert(fastest.begin(), more, {});
    flattest.insert(flattest.begin(), more, {});
    firstSlot = slot;
  }
  size_t count = std::max(slots.size(), slot - firstSlot + 1);
  slots.resize(count);
  fastest.resize(count);
  flattest.resize(count);
}

ChainTable TableBuilder::take() {
  ChainTable table;
  auto add = [&](const ChainEntry &entry) {
    if (table.empty() || entry.seconds < table.back().seconds)
      table.push_back(entry);
  };
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].fastestPeak == INT64_MAX)
      continue;
    add(flattest[i]);
    add(fastest[i]);
  }
  slots.clear();
  return table;
}

/// Where the stages [begin, end) are split to drop the first part: any place
/// near either end, fewer between.
static SmallVector<int32_t, 32> getDropSplits(int32_t begin, int32_t end) {
  SmallVector<int32_t, 32> splits;
  int32_t count = end - begin;
  for (int32_t n = 1; n < count; n += 1 + std::min(n, count - n) / kDense)
    splits.push_back(begin + n);
  return splits;
}

struct ChainSolver::Tables {
  explicit Tables(const Chain &chain);

  const ChainItem *getItem(int32_t begin, int32_t end);
  const ChainTable &getInner(int32_t begin, int32_t end) const {
    return inner[first[begin][end - begin]][end - begin];
  }
  int64_t getGrowth(int32_t from, int32_t to) const;
  void fillInner(int32_t begin, int32_t end);
  void fillTop(int32_t begin);
  void addSplits(int32_t begin, int32_t split, int32_t last,
                 const ChainTable &rest, bool isTop, TableBuilder &builder);
  void addDrops(int32_t begin, int32_t split, int32_t last,
                const ChainTable &rest, bool isTop, TableBuilder &builder);

  void emitForward(int32_t begin, int32_t end, const ItemOption *option,
                   std::vector<int32_t> &order) const;
  void emit(int32_t begin, int32_t end, const ChainEntry &entry, bool isTop,
            std::vector<int32_t> &order);

  const Chain &chain;
  int32_t count;
  int64_t limit; ///< The peak with everything kept, beside the base.
  /// first[i][n]: the first stage from which on n stages are of the same kinds
  /// as from i on.
  std::vector<std::vector<int32_t>> first;
  std::map<std::pair<int32_t, int32_t>, ChainItem> items;
  std::vector<std::vector<ChainTable>> inner; ///< Of first stages, by length.
  std::vector<ChainTable> top;
};

ChainSolver::Tables::Tables(const Chain &chain)
    : chain(chain), count(chain.stages.size()) {
  std::vector<int32_t> order(chain.program->getNumOps());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  limit =
      replayOrder(*chain.program, order).peakBytes - chain.getBase(count - 1);
  first.assign(count, std::vector<int32_t>(count + 1, -1));
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t before = 0; before <= i; ++before)
      for (int32_t n = 0; i + n <= count; ++n) {
        if (first[i][n] < 0)
          first[i][n] = before;
        if (i + n < count &&
            chain.stages[before + n].kind != chain.stages[i + n].kind)
          break;
      }
  }
  inner.resize(count);
  for (int32_t n = 1; n <= count; ++n)
    for (int32_t i = 0; i + n <= count; ++i)
      if (first[i][n] == i)
        fillInner(i, i + n);
  top.resize(count + 1);
  for (int32_t i = count; i-- > 0;)
    fillTop(i);
}

/// The stages [begin, end) as one, or none where they are too many.
const ChainItem *ChainSolver::Tables::getItem(int32_t begin, int32_t end) {
  int32_t width = end - begin;
  if (width > 1 &&
      (width > kMaxWidth ||
       chain.stages[end - 1].opEnd - chain.stages[begin].opBegin > kMaxItemOps))
    return nullptr;
  begin = first[begin][width];
  auto [it, isNew] = items.try_emplace({begin, width});
  if (isNew)
    it->second = makeItem(chain, begin, begin + width);
  return &it->second;
}

/// What the base grows by between the windows of two stages.
int64_t ChainSolver::Tables::getGrowth(int32_t from, int32_t to) const {
  return chain.getBase(to) - chain.getBase(from);
}

/// Adds the ways in which stages [begin, split) are an item: (11).
void ChainSolver::Tables::addSplits(int32_t begin, int32_t split, int32_t last,
                                    const ChainTable &rest, bool isTop,
                                    TableBuilder &builder) {
  const ChainItem *item = getItem(begin, split);
  if (!item)
    return;
  int64_t growth = getGrowth(last, split - 1);
  int64_t ahead = isTop ? chain.residentBytes - chain.getBase(last) : 0;
  for (size_t o = 0; o < item->options.size(); ++o) {
    const ItemOption &option = item->options[o];
    double seconds = option.againSeconds + (isTop ? 0 : option.forwardSeconds);
    int64_t least =
        std::max(option.forwardPeak + ahead, option.backwardPeak + growth);
    // Of the entries that the item hides, the fastest will do.
    size_t from = llvm::partition_point(
                      rest,
                      [&](const ChainEntry &other) {
                        return other.peakBytes + option.keptBytes <= least;
                      }) -
                  rest.begin();
    for (size_t r = from > 0 ? from - 1 : 0; r < rest.size(); ++r) {
      int64_t peak = std::max(least, rest[r].peakBytes + option.keptBytes);
      builder.offer(peak, seconds + rest[r].seconds, [&] {
        return ChainEntry{peak,
                          seconds + rest[r].seconds,
                          split - begin,
                          static_cast<int32_t>(o),
                          static_cast<int32_t>(r),
                          -1};
      });
    }
  }
}

/// Adds the ways in which stages [begin, split) keep nothing but what leads
/// into them and are solved once more behind the rest: (12).
void ChainSolver::Tables::addDrops(int32_t begin, int32_t split, int32_t last,
                                   const ChainTable &rest, bool isTop,
                                   TableBuilder &builder) {
  int64_t boundary = chain.getBoundaryBytes(begin);
  int64_t growth = getGrowth(last, split - 1);
  int64_t ahead = isTop ? chain.residentBytes - chain.getBase(last) : 0;
  int64_t least = 0;
  double seconds = 0;
  for (int32_t s = begin; s < split; ++s) {
    const ChainItem *item = getItem(s, s + 1);
    const ItemOption &option = item->options[item->leaves[0]];
    int64_t peak =
        s > begin ? option.forwardPeak + boundary : option.holdingPeak;
    least = std::max(least, peak + ahead);
    seconds += isTop ? 0 : option.forwardSeconds;
  }
  const ChainTable &left = getInner(begin, split);
  // Both sides rise in peak; at each peak of either, the fastest of each.
  size_t l = 0, r = 0;
  auto getLeft = [&](size_t i) { return left[i].peakBytes + growth; };
  auto getRest = [&](size_t i) { return rest[i].peakBytes + boundary; };
  while (l < left.size() && r < rest.size()) {
    int64_t peak = std::max({least, getLeft(l), getRest(r)});
    while (l + 1 < left.size() && getLeft(l + 1) <= peak)
      ++l;
    while (r + 1 < rest.size() && getRest(r + 1) <= peak)
      ++r;
    double sum = seconds + left[l].seconds + rest[r].seconds;
    builder.offer(peak, sum, [&] {
      return ChainEntry{peak,
                        sum,
                        split - begin,
                        -1,
                        static_cast<int32_t>(r),
                        static_cast<int32_t>(l)};
    });
    // Whichever comes next.
    if (l + 1 < left.size() &&
        (r + 1 >= rest.size() || getLeft(l + 1) < getRest(r + 1)))
      ++l;
    else
      ++r;
  }
}

void ChainSolver::Tables::fillInner(int32_t begin, int32_t end) {
  TableBuilder builder(kInnerDigits, limit);
  const ChainItem *item = getItem(begin, end);
  for (size_t l = 0; item && l < item->leaves.size(); ++l) {
    const ItemOption &option = item->options[item->leaves[l]];
    builder.offer(option.backwardPeak, option.againSeconds, [&] {
      return ChainEntry{option.backwardPeak,
                        option.againSeconds,
                        end - begin,
                        item->leaves[l],
                        -1,
                        -1};
    });
  }
  for (int32_t split = begin + 1; split < std::min(end, begin + kMaxWidth + 1);
       ++split)
    addSplits(begin, split, end - 1, getInner(split, end), false, builder);
  for (int32_t split : getDropSplits(begin, end))
    addDrops(begin, split, end - 1, getInner(split, end), false, builder);
  inner[begin].resize(count + 1);
  inner[begin][end - begin] = builder.take();
}

void ChainSolver::Tables::fillTop(int32_t begin) {
  TableBuilder builder(kTopDigits, limit);
  if (const ChainItem *item = getItem(begin, count)) {
    int64_t ahead = chain.residentBytes - chain.getBase(count - 1);
    for (size_t o = 0; o < item->options.size(); ++o) {
      const ItemOption &option = item->options[o];
      int64_t peak = std::max(option.forwardPeak + ahead, option.backwardPeak);
      builder.offer(peak, option.againSeconds, [&] {
        return ChainEntry{peak,
                          option.againSeconds,
                          count - begin,
                          static_cast<int32_t>(o),
                          -1,
                          -1};
      });
    }
  }
  for (int32_t split = begin + 1;
       split < std::min(count, begin + kMaxWidth + 1); ++split)
    addSplits(begin, split, count - 1, top[split], true, builder);
  for (int32_t split : getDropSplits(begin, count))
    addDrops(begin, split, count - 1, top[split], true, builder);
  top[begin] = builder.take();
}

/// A forward pass of stages [begin, end): with an option, of what it keeps;
/// with none, of all ops.
void ChainSolver::Tables::emitForward(int32_t begin, int32_t end,
                                      const ItemOption *option,
                                      std::vector<int32_t> &order) const {
  int32_t from = chain.stages[begin].opBegin, to = chain.stages[end - 1].opEnd;
  if (!option) {
    for (int32_t i = from; i < to; ++i)
      order.push_back(i);
    return;
  }
  for (int32_t op : option->forward)
    order.push_back(from + op);
}

void ChainSolver::Tables::emit(int32_t begin, int32_t end,
                               const ChainEntry &entry, bool isTop,
                               std::vector<int32_t> &order) {
  // Tables are shared: a split counts from the first stage.
  int32_t split = begin + entry.split;
  auto emitRest = [&] {
    if (split == end)
      return;
    const ChainTable &rest = isTop ? top[split] : getInner(split, end);
    emit(split, end, rest[entry.rest], isTop, order);
  };
  if (entry.option < 0) {
    for (int32_t s = begin; s < split; ++s) {
      const ChainItem *item = getItem(s, s + 1);
      emitForward(s, s + 1, isTop ? nullptr : &item->options[item->leaves[0]],
                  order);
    }
    emitRest();
    emit(begin, split, getInner(begin, split)[entry.left], false, order);
    return;
  }
  const ItemOption &option = getItem(begin, split)->options[entry.option];
  // An item at the end of a run that is solved again makes its values when
  // they are needed.
  if (isTop || split < end)
    emitForward(begin, split, isTop ? nullptr : &option, order);
  emitRest();
  int32_t firstOp = chain.stages[begin].opBegin;
  int32_t firstWindow = chain.stages[split - 1].windowBegin;
  for (int32_t code : option.backward)
    order.push_back(code < 0 ? firstOp - 1 - code : firstWindow + code);
}

ChainSolver::ChainSolver(const Chain &chain)
    : tables(std::make_unique<Tables>(chain)) {
  int64_t base = chain.getBase(tables->count - 1);
  for (const ChainEntry &entry : tables->top[0])
    points.push_back({entry.peakBytes + base, entry.seconds});
}

ChainSolver::~ChainSolver() = default;

std::vector<int32_t> ChainSolver::getOrder(size_t point) const {
  std::vector<int32_t> order;
  tables->emit(0, tables->count, tables->top[0][point], true, order);
  return order;
}
