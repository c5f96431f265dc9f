//===- ArenaPackingPartial.h - A packing under construction -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the exact search works on: some items are placed, the others are open.
// An open item has a floor, the lowest offset above the placed items that are
// live with it. It may wait, which means that it will not lie on its present
// floor; its least offset is then the lowest end of an open neighbour. Every
// change can be undone.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_ARENAPACKINGPARTIAL_H
#define NLP_LIB_SOLVER_ARENAPACKINGPARTIAL_H

#include "ArenaPackingSearch.h"

namespace nlp::solver {

/// What attempts at one capacity learn from one another.
struct SearchMemory {
  /// Keys of parts that failed, in whatever order of rank; its size is a power
  /// of two.
  std::vector<uint64_t> failures;
  /// How often each section made a placement fail.
  std::vector<int64_t> failureCounts;
};

class PartialPacking {
public:
  PartialPacking(const SearchInstance &instance, std::vector<Item> items,
                 int64_t capacity, SearchMemory &memory);

  /// Where undo() goes back to.
  struct Mark {
    size_t placed, changes;
  };
  Mark getMark() const { return {placed.size(), changes.size()}; }
  void undo(Mark mark);

  /// Puts `item` on its floor and raises what is live with it. False if the
  /// bounds show that the open items no longer fit.
  bool place(uint32_t item);
  /// Lets `item`, and items like it, wait. False as for place().
  bool wait(uint32_t item);

  bool isOpen(uint32_t item) const { return offsets[item] < 0; }
  /// Whether `item` may be the next to be placed as far as items like it go:
  /// of equal ones the first goes first.
  bool isReady(uint32_t item) const {
    return !waiting[item] &&
           (items[item].twin < 0 || !isOpen(items[item].twin));
  }
  int64_t getLeastEnd(uint32_t item) const {
    return leastOffsets[item] + items[item].bytes;
  }

  /// A key for the part `open` as it stands: its items, their floors, and which
  /// of them wait. What can follow depends on nothing else.
  uint64_t getKey(llvm::ArrayRef<uint32_t> open) const;

  const std::vector<Item> items; // by rank
  const int64_t capacity;
  SearchMemory &memory;
  int64_t work = 0;
  std::vector<int64_t> offsets; // -1 where open
  std::vector<int64_t> floors;
  std::vector<int64_t> leastOffsets; // of open items; -1 where placed
  std::vector<char> waiting;
  std::vector<int64_t> openBytes; // in each section
  /// The items of each section, about by falling least offset.
  std::vector<std::vector<uint32_t>> sectionItems;

private:
  struct Change {
    uint32_t item;
    char waiting;
    int64_t floor, leastOffset;
  };
  void save(uint32_t item) {
    changes.push_back({item, waiting[item], floors[item], leastOffsets[item]});
  }
  void touch(uint32_t item);
  bool raise(uint32_t item, int64_t leastOffset);
  bool raiseToSupport(uint32_t item);
  bool propagate();
  bool sectionFits(uint32_t section);

  const SearchInstance &instance;
  std::vector<uint32_t> placed; // in this order
  std::vector<Change> changes;
  std::vector<std::pair<uint32_t, int64_t>> raised; // item and its old end
  std::vector<uint32_t> touched;                    // sections
  std::vector<char> isTouched;
  std::vector<int64_t> nextTwins; // the item whose twin this is, or -1
};

/// Which item to decide on next.
enum class ChoiceRule {
  /// The lowest floor.
  Lowest,
  /// The lowest floor, where sections that often failed pull items down.
  LowestFailing,
  /// What may lie lowest in the section with fewest such items.
  FewestFirst,
};

/// An open item of the part `open` that nothing open can come to lie under.
/// Ties go by `ranks`. -1 if all of them wait.
int64_t chooseItem(PartialPacking &packing, llvm::ArrayRef<uint32_t> open,
                   ChoiceRule rule, llvm::ArrayRef<uint32_t> ranks);

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_ARENAPACKINGPARTIAL_H
