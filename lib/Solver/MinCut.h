//===- MinCut.h - Minimum cuts of a network ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maximum flow by Dinic's algorithm, and the minimum cut next to the source.
// Integer capacities, so that a cut is what it says. The edges stay and their
// capacities change between solves: the same graph is cut at many prices.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_MINCUT_H
#define NLP_LIB_SOLVER_MINCUT_H

#include <cstdint>
#include <vector>

namespace nlp::solver {

class MinCut {
public:
  /// More than any cut may carry.
  static constexpr int64_t kInfinite = INT64_MAX / 4;

  /// A network of a source, a sink, and nodes to be added.
  MinCut() : first(2, -1) {}

  int32_t getSource() const { return 0; }
  int32_t getSink() const { return 1; }
  int32_t addNode() {
    first.push_back(-1);
    return static_cast<int32_t>(first.size()) - 1;
  }

  /// An edge and its number. The finite capacities together have to stay below
  /// kInfinite.
  int32_t addEdge(int32_t from, int32_t to, int64_t capacity = 0);
  void setCapacity(int32_t edge, int64_t capacity) {
    capacities[edge] = capacity;
  }

  /// The value of the minimum cut; kInfinite or more if every cut has an
  /// infinite edge.
  int64_t solve();

  /// Whether the last cut left `node` with the source.
  bool isAtSource(int32_t node) const { return levels[node] >= 0; }

  /// Edges looked at so far.
  int64_t work = 0;

private:
  bool findLevels();
  int64_t augment();

  struct Edge {
    int32_t to;
    int32_t next; ///< Edge out of the same node, or -1.
    int64_t residual;
  };
  std::vector<int32_t> first; ///< Edge out of each node, or -1.
  std::vector<Edge> edges;    ///< Each with its reverse beside it.
  std::vector<int64_t> capacities;
  std::vector<int32_t> levels, current, queue, path;
};

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_MINCUT_H
