//===- ArenaPackingGreedy.cpp - Orders to place buffers in -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No order is best on all graphs, so several are tried, the strongest ones
// first, until the bound is met or the work is spent. The first order is always
// placed in full.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace nlp::solver;

/// How often what did not fit is moved to the front: it helps soon or never.
static constexpr int maxRepacks = 32;

using Less = bool (*)(const BufferKeys &, const BufferKeys &);

/// The orders, the strongest first.
static constexpr Less orders[] = {
    // The times with most bytes get their buffers first.
    [](const BufferKeys &a, const BufferKeys &b) {
      return std::tie(a.busiest, a.bytes) > std::tie(b.busiest, b.bytes);
    },
    [](const BufferKeys &a, const BufferKeys &b) { return a.bytes > b.bytes; },
    [](const BufferKeys &a, const BufferKeys &b) { return a.area > b.area; },
    [](const BufferKeys &a, const BufferKeys &b) {
      return std::tie(a.busiest, a.area) > std::tie(b.busiest, b.area);
    },
    [](const BufferKeys &a, const BufferKeys &b) {
      return std::tie(a.lifetime, a.bytes) > std::tie(b.lifetime, b.bytes);
    },
    [](const BufferKeys &a, const BufferKeys &b) {
      return a.start != b.start ? a.start < b.start : a.bytes > b.bytes;
    },
    [](const BufferKeys &a, const BufferKeys &b) {
      return a.pressure > b.pressure;
    },
    [](const BufferKeys &a, const BufferKeys &b) {
      return a.end != b.end ? a.end > b.end : a.bytes > b.bytes;
    },
};

void nlp::solver::packGreedily(PackingState &state) {
  const std::vector<BufferKeys> &keys = state.keys;
  std::vector<uint32_t> movable;
  for (size_t i = 0; i < keys.size(); ++i)
    if (!state.problem.buffers[i].fixedOffset)
      movable.push_back(i);

  int64_t work = 0;
  for (FitRule rule : {FitRule::First, FitRule::Best})
    for (Less less : orders) {
      bool isFirst = state.best.offsets.empty();
      if (!isFirst && (state.isDone() || state.shouldStop() ||
                       work > state.options.improveWork / 2))
        return;
      std::vector<uint32_t> order = movable;
      llvm::stable_sort(order, [&](uint32_t a, uint32_t b) {
        return less(keys[a], keys[b]);
      });
      Stacker stacker(state.problem, state.times);
      int64_t limit = isFirst ? INT64_MAX : state.best.height;
      if (stacker.place(order, rule, limit))
        state.offer(stacker.offsets, stacker.getHeight());
      work += stacker.getWork();
    }
}

int64_t nlp::solver::repackOffenders(PackingState &state, int64_t limit) {
  const std::vector<PackingBuffer> &buffers = state.problem.buffers;
  const std::vector<BufferKeys> &keys = state.keys;
  std::vector<uint32_t> order;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].fixedOffset)
      order.push_back(i);
  llvm::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return orders[0](keys[a], keys[b]);
  });
  std::vector<int64_t> offsets = state.best.offsets;
  int64_t work = 0;
  for (int round = 0; round < maxRepacks && work <= limit; ++round) {
    if (state.isDone() || state.shouldStop())
      break;
    std::stable_partition(order.begin(), order.end(), [&](uint32_t buffer) {
      return offsets[buffer] + buffers[buffer].bytes > state.target;
    });
    Stacker stacker(state.problem, state.times);
    stacker.place(order, FitRule::First);
    work += stacker.getWork();
    offsets = stacker.offsets;
    state.offer(offsets, stacker.getHeight());
  }
  return work;
}
