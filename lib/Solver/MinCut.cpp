//===- MinCut.cpp - Minimum cuts of a network -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dinic's algorithm: breadth-first levels, then a blocking flow by depth-first
// search with a current edge at each node, without recursion. O(V^2 E) at
// worst; on the networks of programs a few times their size.
//
//===----------------------------------------------------------------------===//

#include "MinCut.h"
#include <algorithm>

using namespace nlp::solver;

int32_t MinCut::addEdge(int32_t from, int32_t to, int64_t capacity) {
  int32_t edge = static_cast<int32_t>(edges.size());
  edges.push_back({to, first[from], 0});
  edges.push_back({from, first[to], 0});
  first[from] = edge;
  first[to] = edge + 1;
  capacities.push_back(capacity);
  return edge / 2;
}

/// Distances from the source over edges with room; whether the sink has one.
bool MinCut::findLevels() {
  levels.assign(first.size(), -1);
  queue.clear();
  queue.push_back(getSource());
  levels[getSource()] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    for (int32_t e = first[queue[i]]; e >= 0; e = edges[e].next) {
      ++work;
      if (edges[e].residual > 0 && levels[edges[e].to] < 0) {
        levels[edges[e].to] = levels[queue[i]] + 1;
        queue.push_back(edges[e].to);
      }
    }
  }
  return levels[getSink()] >= 0;
}

/// A blocking flow along the levels; its value.
int64_t MinCut::augment() {
  current = first;
  path.clear();
  int64_t total = 0;
  int32_t node = getSource();
  while (true) {
    if (node == getSink()) {
      int64_t amount = kInfinite;
      for (int32_t e : path)
        amount = std::min(amount, edges[e].residual);
      total += amount;
      // Back to the tail of the first edge that is full now.
      size_t keep = path.size();
      for (size_t i = path.size(); i-- > 0;) {
        edges[path[i]].residual -= amount;
        edges[path[i] ^ 1].residual += amount;
        if (edges[path[i]].residual == 0)
          keep = i;
      }
      work += path.size();
      if (total >= kInfinite)
        return total;
      node = edges[path[keep] ^ 1].to;
      path.resize(keep);
      continue;
    }
    int32_t &e = current[node];
    while (e >= 0 && (edges[e].residual == 0 ||
                      levels[edges[e].to] != levels[node] + 1)) {
      e = edges[e].next;
      ++work;
    }
    if (e >= 0) {
      path.push_back(e);
      node = edges[e].to;
      continue;
    }
    if (node == getSource())
      return total;
    // A dead end: no way leads over this node any more.
    levels[node] = -2;
    node = edges[path.back() ^ 1].to;
    path.pop_back();
  }
}

int64_t MinCut::solve() {
  for (size_t i = 0; i < capacities.size(); ++i) {
    edges[2 * i].residual = capacities[i];
    edges[2 * i + 1].residual = 0;
  }
  int64_t total = 0;
  while (total < kInfinite && findLevels())
    total += augment();
  return total;
}
