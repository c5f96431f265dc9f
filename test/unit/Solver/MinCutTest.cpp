//===- MinCutTest.cpp - Minimum cuts of a network ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts of random networks against all subsets of nodes.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Solver/MinCut.h"
#include "gtest/gtest.h"
#include <random>

using namespace nlp::solver;

namespace {
struct Edge {
  int32_t from, to;
  int64_t capacity;
};
} // namespace

/// The capacity of the edges that leave the nodes in `mask`.
static int64_t getCut(const std::vector<Edge> &edges, uint32_t mask) {
  int64_t sum = 0;
  for (const Edge &edge : edges)
    if ((mask >> edge.from & 1) && !(mask >> edge.to & 1))
      sum += edge.capacity;
  return sum;
}

TEST(MinCut, EqualsTheBestOfAllSubsets) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    MinCut network;
    int32_t nodes = 2 + random() % 8;
    for (int32_t n = 2; n < nodes; ++n)
      network.addNode();
    std::vector<Edge> edges;
    for (size_t e = random() % 30; e > 0; --e) {
      Edge edge{static_cast<int32_t>(random() % nodes),
                static_cast<int32_t>(random() % nodes),
                static_cast<int64_t>(random() % 10)};
      if (edge.from == edge.to)
        continue;
      edges.push_back(edge);
      network.addEdge(edge.from, edge.to, edge.capacity);
    }
    // Again with other capacities: the graph is the same.
    for (int round = 0; round < 2; ++round) {
      int64_t best = INT64_MAX;
      for (uint32_t mask = 0; mask < 1u << nodes; ++mask)
        if ((mask & 3) == 1)
          best = std::min(best, getCut(edges, mask));
      EXPECT_EQ(network.solve(), best);
      uint32_t mask = 0;
      for (int32_t n = 0; n < nodes; ++n)
        mask |= network.isAtSource(n) << n;
      EXPECT_EQ(getCut(edges, mask), best);
      for (size_t e = 0; e < edges.size(); ++e) {
        edges[e].capacity = random() % 10;
        network.setCapacity(e, edges[e].capacity);
      }
    }
  }
}

TEST(MinCut, SaysWhenNoFiniteCutExists) {
  MinCut network;
  int32_t node = network.addNode();
  network.addEdge(network.getSource(), node, MinCut::kInfinite);
  int32_t edge = network.addEdge(node, network.getSink(), MinCut::kInfinite);
  EXPECT_GE(network.solve(), MinCut::kInfinite);
  network.setCapacity(edge, 5);
  EXPECT_EQ(network.solve(), 5);
  EXPECT_TRUE(network.isAtSource(node));
}
