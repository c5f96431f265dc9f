//===- ArenaPackingSearch.h - Parts of the exact packing search -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the search sees of a problem, and the search itself.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_ARENAPACKINGSEARCH_H
#define NLP_LIB_SOLVER_ARENAPACKINGSEARCH_H

#include "ArenaPackingImpl.h"
#include "llvm/ADT/StringRef.h"

namespace nlp::solver {

/// What a buffer is to the search. Sections are the times at which the set of
/// live buffers is not contained in that of a neighbouring time.
struct Item {
  int64_t bytes = 0;
  int64_t alignment = 1;
  uint32_t buffer = 0; // in the problem
  std::vector<uint32_t> sections;
  std::vector<uint32_t> neighbours;
  /// Bytes that buffers outside the search take: disjoint, in rising order.
  std::vector<std::pair<int64_t, int64_t>> blocked;
  /// An item of lower rank that nothing tells apart from this one, or -1.
  int64_t twin = -1;

  /// The lowest offset at or above `offset` that alignment and `blocked` allow.
  int64_t getLowestOffset(int64_t offset) const;
};

/// What the search works on.
struct SearchInstance {
  std::vector<Item> items;
  std::vector<int64_t> sectionBytes; // live in each section
  /// Buffers outside the search that are live in a section: offset and bytes,
  /// the highest first.
  std::vector<std::vector<std::pair<int64_t, int64_t>>> obstacles;
  /// What ranking the items costs, and going down to one packing.
  int64_t setupWork = 0;
  int64_t descentWork = 0;
};

/// What a search for places of all buffers without a fixed one sees. Empty
/// where the problem has too many conflicts, or where going down to one packing
/// without ever going back might take more than `work`.
std::optional<SearchInstance> makeSearchInstance(const PackingProblem &problem,
                                                 int64_t work);

/// The items in an order of rank that letters name, most important first: bytes
/// (B), number of sections (W), product of the two (A), bytes live in the
/// busiest section (T). Each value is disturbed by up to `noise` of itself.
std::vector<Item> rankItems(const SearchInstance &instance,
                            llvm::StringRef order, double noise, uint64_t seed);

enum class Outcome { Found, Failed, OutOfWork };

/// The items of one order, and the search over them.
class Searcher {
public:
  /// `failures` is a table of parts that failed at this capacity, in whatever
  /// order of rank; its size is a power of two.
  Searcher(const SearchInstance &instance, std::vector<Item> items,
           int64_t capacity, std::vector<uint64_t> &failures);

  /// Searches from the start, for about `work` steps.
  Outcome run(int64_t work, const std::function<bool()> &shouldStop);

  std::vector<Item> items; // by rank
  std::vector<int64_t> offsets;
  int64_t work = 0;

private:
  /// Where the last item went: what follows is not below it.
  struct Last {
    int64_t offset = 0;
    int64_t rank = -1;
  };

  Outcome solve(llvm::ArrayRef<uint32_t> open, Last last);
  Outcome solveParts(llvm::ArrayRef<uint32_t> open, uint32_t without,
                     Last last);
  bool canFinish(llvm::ArrayRef<uint32_t> open, Last last);
  bool place(uint32_t item);
  void undo(size_t placedSize, size_t trailSize);
  uint64_t getKey(llvm::ArrayRef<uint32_t> open, Last last) const;

  bool waits(uint32_t item, Last last) const {
    return floors[item] < last.offset ||
           (floors[item] == last.offset && item < last.rank);
  }

  const SearchInstance &instance;
  int64_t capacity;
  int64_t workLimit = 0;
  int64_t steps = 0;
  const std::function<bool()> *shouldStop = nullptr;
  std::vector<int64_t> floors;
  std::vector<uint32_t> placed;                    // in this order
  std::vector<std::pair<uint32_t, int64_t>> trail; // item and its old floor
  std::vector<uint64_t> &failures;
  std::vector<int64_t> sectionSums;
  std::vector<uint32_t> obstaclesSummed; // of each section
  std::vector<std::pair<int64_t, uint32_t>> releases;
};

/// How an exact search ended.
enum class SearchResult { Found, Impossible, OutOfWork };

/// Searches for a packing of at most `capacity`; `offsets` gets its offsets.
SearchResult searchPacking(const SearchInstance &instance, int64_t capacity,
                           int64_t work, const PackingOptions &options,
                           std::vector<int64_t> &offsets);

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_ARENAPACKINGSEARCH_H
