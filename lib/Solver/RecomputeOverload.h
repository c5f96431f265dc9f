//===- RecomputeOverload.h - Bytes along an order ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A segment tree over positions: add to a range, ask for the largest sum in a
// range, both in O(log n).
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTEOVERLOAD_H
#define NLP_LIB_SOLVER_RECOMPUTEOVERLOAD_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nlp::solver {

class OverloadTree {
public:
  explicit OverloadTree(const std::vector<int64_t> &bytes) {
    for (leaves = 1; leaves < bytes.size();)
      leaves *= 2;
    most.assign(2 * leaves, INT64_MIN / 2);
    added.assign(2 * leaves, 0);
    std::copy(bytes.begin(), bytes.end(), most.begin() + leaves);
    for (size_t node = leaves; node-- > 1;)
      most[node] = std::max(most[2 * node], most[2 * node + 1]);
  }

  void add(size_t begin, size_t end, int64_t bytes) {
    addBelow(1, 0, leaves, begin, end, bytes);
  }
  int64_t getMax(size_t begin, size_t end) const {
    return getMaxBelow(1, 0, leaves, begin, end);
  }

private:
  void addBelow(size_t node, size_t low, size_t high, size_t begin, size_t end,
                int64_t bytes) {
    if (end <= low || high <= begin)
      return;
    if (begin <= low && high <= end) {
      most[node] += bytes;
      added[node] += bytes;
      return;
    }
    size_t middle = (low + high) / 2;
    addBelow(2 * node, low, middle, begin, end, bytes);
    addBelow(2 * node + 1, middle, high, begin, end, bytes);
    most[node] = std::max(most[2 * node], most[2 * node + 1]) + added[node];
  }

  int64_t getMaxBelow(size_t node, size_t low, size_t high, size_t begin,
                      size_t end) const {
    if (end <= low || high <= begin)
      return INT64_MIN / 2;
    if (begin <= low && high <= end)
      return most[node];
    size_t middle = (low + high) / 2;
    return std::max(getMaxBelow(2 * node, low, middle, begin, end),
                    getMaxBelow(2 * node + 1, middle, high, begin, end)) +
           added[node];
  }

  size_t leaves = 1;
  std::vector<int64_t> most, added; ///< With what is added below; to the whole.
};

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTEOVERLOAD_H
