//===- ArenaPackingSearch.h - Parts of the exact packing search -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the search sees of a problem, and how it is called.
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
  int64_t lifetime = 0; // length of all live intervals
  uint32_t buffer = 0;  // in the problem
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

/// What `item` is ranked by, small values first: letters name bytes (B),
/// lifetime (L), product of the two (A), bytes live in the busiest section (T),
/// the most important first.
llvm::SmallVector<double, 3> getRankKey(const Item &item, llvm::StringRef order,
                                        llvm::ArrayRef<int64_t> sectionBytes);

/// The items in the order of getRankKey. Each value is disturbed by up to
/// `noise` of itself.
std::vector<Item> rankItems(const SearchInstance &instance,
                            llvm::StringRef order, double noise, uint64_t seed);

/// How an exact search ended.
enum class SearchResult { Found, Impossible, OutOfWork };

/// Searches for a packing of at most `capacity`; `offsets` gets its offsets.
SearchResult searchPacking(const SearchInstance &instance, int64_t capacity,
                           int64_t work, const PackingOptions &options,
                           std::vector<int64_t> &offsets);

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_ARENAPACKINGSEARCH_H
