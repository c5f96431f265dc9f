//===- ArenaPackingStacks.cpp - Stacks at both ends of the arena ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a training step what lives long comes as stacks: activations go in the
// opposite order that they came, and so do gradients, which come as those go.
// Lifetimes within a stack are nested; those of one stack cross those of the
// other. A stack at each end of the arena leaves all that is free between them
// in one piece. Which buffer belongs to which stack is decided one by one, the
// longest first: to that whose buffers' lifetimes it crosses least. What lives
// shortly is placed behind, between the two.
//
// The ceiling that one stack hangs from is the target; where what lies between
// the stacks does not fit there, the ceiling is raised, as little as can be
// found by halving.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace nlp::solver;

/// A stack's buffer lives for at least this share of all time.
static constexpr double kLongShare = 1.0 / 64;
/// Crossings are counted pair by pair.
static constexpr size_t kMostStacked = 4096;
static constexpr int kCeilings = 6;

namespace {
struct Order {
  std::vector<uint32_t> stacked, others;
  std::vector<ArenaEnd> ends; // of what is stacked
};
} // namespace

static bool cross(const BufferKeys &a, const BufferKeys &b) {
  return (a.start < b.start && b.start < a.end && a.end < b.end) ||
         (b.start < a.start && a.start < b.end && b.end < a.end);
}

/// Chooses what is stacked, and at which end.
static Order decideOrder(const PackingState &state) {
  const std::vector<BufferKeys> &keys = state.keys;
  double longest = 0;
  for (const BufferKeys &key : keys)
    longest = std::max(longest, key.lifetime);
  Order order;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (state.problem.buffers[i].fixedOffset)
      continue;
    bool isLong = keys[i].bytes > 0 && keys[i].lifetime > longest * kLongShare;
    (isLong ? order.stacked : order.others).push_back(i);
  }
  llvm::stable_sort(order.stacked, [&](uint32_t a, uint32_t b) {
    return keys[a].lifetime > keys[b].lifetime;
  });
  if (order.stacked.size() > kMostStacked) {
    order.others.insert(order.others.end(),
                        order.stacked.begin() + kMostStacked,
                        order.stacked.end());
    order.stacked.resize(kMostStacked);
  }
  for (size_t i = 0; i < order.stacked.size(); ++i) {
    int64_t crossed = 0; // bytes at the top, less those at the bottom
    for (size_t j = 0; j < i; ++j) {
      const BufferKeys &other = keys[order.stacked[j]];
      if (cross(keys[order.stacked[i]], other))
        crossed += order.ends[j] == ArenaEnd::Top ? other.bytes : -other.bytes;
    }
    order.ends.push_back(crossed < 0 ? ArenaEnd::Top : ArenaEnd::Bottom);
  }
  llvm::stable_sort(order.others, [&](uint32_t a, uint32_t b) {
    return std::tie(keys[a].busiest, keys[a].bytes) >
           std::tie(keys[b].busiest, keys[b].bytes);
  });
  return order;
}

void nlp::solver::packBothEnds(PackingState &state) {
  Order order = decideOrder(state);
  if (!is_contained(order.ends, ArenaEnd::Top))
    return;
  int64_t low = state.target, ceiling = low, high = INT64_MAX;
  for (int i = 0; i < kCeilings && !state.shouldStop(); ++i) {
    Stacker stacker(state.problem, state.times, ceiling);
    for (auto [buffer, end] : zip(order.stacked, order.ends))
      stacker.place(buffer, end);
    stacker.place(order.others, FitRule::First);
    state.offer(stacker.offsets, stacker.getHeight());
    if (state.isDone())
      return;
    if (stacker.getHeight() <= ceiling)
      high = ceiling;
    else
      low = ceiling;
    if (high == INT64_MAX)
      high = stacker.getHeight();
    else if (high - low < 2)
      return;
    ceiling = i == 0 ? high : low + (high - low) / 2;
  }
}
