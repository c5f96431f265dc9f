//===- RecomputeNested.cpp - How often ops have to run ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic program (15) and (16) of docs/Planner/Recompute.md, O(n^3) for n
// stages, and the search for prices: a subgradient method, whose every step
// gives a valid bound.
//
//===----------------------------------------------------------------------===//

#include "RecomputeNested.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace nlp::solver;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Keeps what is computed in floating point on the safe side.
static constexpr double kRounding = 1e-11;
/// Tables that the search for prices may fill in, and entries in them.
static constexpr int kMaxSteps = 200;
static constexpr double kMaxWork = 2e7;
/// Prices that are all the same have to give this share of what another bound
/// says already, or else better ones are not looked for.
static constexpr double kPromising = 0.6;

/// The cheapest way to have what the window of `stage` reads if the stage last
/// ran in `phase`, before its own.
NestedBound::Window NestedBound::findWindow(int32_t stage,
                                            int32_t phase) const {
  double before = sums[phase + 1] - sums[stage + 1];
  Window best{kInfinity, nullptr};
  for (const WindowOption &option : stages[stage].options) {
    double seconds = option.seconds + before * option.bytesBefore +
                     prices[stage] * option.bytesAt;
    if (seconds < best.seconds)
      best = {seconds, &option};
  }
  return best;
}

/// Fills in the tables; the least that stages cost together.
double NestedBound::solve(ArrayRef<double> newPrices) {
  size_t count = stages.size();
  prices.assign(newPrices.begin(), newPrices.end());
  open.assign(count * count, kInfinity);
  served.assign(count * count, kInfinity);
  windows.assign(count * count, 0);
  splits.assign(count * count, {});
  sums.assign(count + 1, 0);
  passes.assign(count + 1, 0);
  for (size_t k = 0; k < count; ++k) {
    sums[k + 1] = sums[k] + prices[k];
    passes[k + 1] = passes[k] + stages[k].passSeconds;
  }
  for (size_t k = 0; k < count; ++k)
    for (size_t t = k; t < count; ++t)
      windows[getCell(k, t)] = findWindow(k, t).seconds;
  for (size_t i = count; i-- > 0;) {
    double bytes = stages[i].boundaryBytes;
    open[getCell(i, i)] = served[getCell(i, i)] = 0;
    for (size_t t = i + 1; t < count; ++t) {
      // The first run of all is free.
      bool isFree = t + 1 == count;
      double best = kInfinity, left = kInfinity;
      int32_t last = -1;
      Split split;
      for (size_t u = i + 1; u <= t; ++u) {
        size_t m = u - 1;
        double window = windows[getCell(m, t)];
        double held =
            bytes * (sums[t + 1] - sums[u]) + window + served[getCell(i, m)];
        double skipped = stages[m].needsBoundary ? kInfinity : window + left;
        if (held <= skipped)
          last = m;
        left = std::min(held, skipped);
        double cost =
            left + open[getCell(u, t)] + (isFree ? 0 : passes[u] - passes[i]);
        if (cost < best) {
          best = cost;
          split = {static_cast<int32_t>(u), last};
        }
      }
      served[getCell(i, t)] = best;
      splits[getCell(i, t)] = split;
      open[getCell(i, t)] = best;
      if (!stages[i].needsBoundary)
        open[getCell(i, t)] =
            std::min(best, windows[getCell(i, t)] + open[getCell(i + 1, t)] +
                               (isFree ? 0 : stages[i].passSeconds));
    }
  }
  return windows[getCell(count - 1, count - 1)] + open[getCell(0, count - 1)];
}

/// Adds the bytes that a window's way to have what it reads holds.
void NestedBound::addWindow(int32_t stage, int32_t phase,
                            std::vector<double> &bytes) const {
  const WindowOption &option = *findWindow(stage, phase).option;
  for (int32_t k = stage + 1; k <= phase; ++k)
    bytes[k] += option.bytesBefore;
  bytes[stage] += option.bytesAt;
}

/// Adds the bytes that the solution holds at each moment.
void NestedBound::addUses(std::vector<double> &bytes) const {
  int32_t count = stages.size();
  struct Part {
    int32_t from, to;
    bool isServed;
  };
  SmallVector<Part, 64> pending;
  pending.push_back({0, count - 1, false});
  addWindow(count - 1, count - 1, bytes);
  while (!pending.empty()) {
    auto [i, t, isServed] = pending.pop_back_val();
    if (i == t)
      continue;
    size_t cell = getCell(i, t);
    if (!isServed && open[cell] < served[cell]) {
      addWindow(i, t, bytes);
      pending.push_back({i + 1, t, false});
      continue;
    }
    Split split = splits[cell];
    for (int32_t k = split.last + 1; k <= t; ++k)
      bytes[k] += stages[i].boundaryBytes;
    for (int32_t k = split.last; k < split.stage; ++k)
      addWindow(k, t, bytes);
    pending.push_back({split.stage, t, false});
    pending.push_back({i, split.last, true});
  }
}

double NestedBound::evaluate(int64_t budgetBytes, ArrayRef<double> prices,
                             std::vector<double> *excessBytes) {
  size_t count = stages.size();
  double cost = solve(prices), room = 0, size = 0;
  for (size_t k = 0; k < count; ++k)
    if (prices[k] > 0) {
      double part = prices[k] * (budgetBytes - stages[k].heldBytes);
      room += part;
      size += std::abs(part);
    }
  if (excessBytes) {
    excessBytes->assign(count, 0);
    addUses(*excessBytes);
    for (size_t k = 0; k < count; ++k)
      (*excessBytes)[k] -= budgetBytes - stages[k].heldBytes;
  }
  return cost - room - kRounding * (cost + size);
}

std::vector<double> NestedBound::findPrices(int64_t budgetBytes,
                                            double knownSeconds) {
  size_t count = stages.size();
  auto clear = [&](std::vector<double> &prices) {
    for (size_t k = 0; k < count; ++k)
      if (stages[k].moment < 0 || prices[k] < 0)
        prices[k] = 0;
  };
  double scale = 0, bytes = 1;
  int64_t least = INT64_MAX, most = 0;
  for (const NestedStage &stage : stages) {
    scale = std::max(scale, stage.passSeconds);
    bytes = std::max<double>(bytes, stage.boundaryBytes);
    if (stage.moment >= 0) {
      least = std::min(least, stage.heldBytes);
      most = std::max(most, stage.heldBytes);
    }
  }
  // Where half of what leads into stages can be kept, nothing runs three times.
  double all = 0;
  for (const NestedStage &stage : stages)
    all += stage.boundaryBytes;
  if (all <= 2 * static_cast<double>(budgetBytes - most))
    return {};
  scale /= bytes;
  // The best price for all alike, or for those with the most bytes.
  std::vector<double> best(count, 0);
  double bestValue = 0;
  for (bool isAll : {false, true})
    for (double factor = 1.0 / 128; factor <= 4; factor *= 2) {
      std::vector<double> prices(count, factor * scale);
      for (size_t k = 0; k < count; ++k)
        if (!isAll && stages[k].heldBytes < most - (most - least) / 4)
          prices[k] = 0;
      clear(prices);
      double value = evaluate(budgetBytes, prices);
      if (value > bestValue) {
        bestValue = value;
        best = prices;
      }
    }
  if (bestValue < kPromising * knownSeconds)
    return {};
  // From there uphill. The aim is above what is known to be reached, and comes
  // down where it is not.
  std::vector<double> prices = best, excess, direction(count, 0);
  double aim = std::max({bestValue * 0.2, knownSeconds - bestValue, 1e-30});
  int idle = 0;
  double cells = static_cast<double>(count) * count * count / 6;
  int steps = std::min<double>(kMaxSteps, 20 + kMaxWork / (cells + 1));
  for (int step = 0; step < steps; ++step) {
    double value = evaluate(budgetBytes, prices, &excess);
    if (value > bestValue) {
      if (value > bestValue + aim / 4)
        idle = 0;
      bestValue = value;
      best = prices;
    }
    if (++idle > 12) {
      aim /= 2;
      idle = 0;
      prices = best;
      std::fill(direction.begin(), direction.end(), 0);
      if (aim < 1e-4 * bestValue)
        break;
      evaluate(budgetBytes, prices, &excess);
      value = bestValue;
    }
    double norm = 0;
    for (size_t k = 0; k < count; ++k) {
      if (stages[k].moment < 0 || (prices[k] <= 0 && excess[k] < 0))
        excess[k] = 0;
      direction[k] = excess[k] + 0.3 * direction[k];
      norm += direction[k] * direction[k];
    }
    if (norm <= 0)
      break;
    double length = (bestValue + aim - value) / norm;
    for (size_t k = 0; k < count; ++k)
      prices[k] += length * direction[k];
    clear(prices);
  }
  return best;
}
