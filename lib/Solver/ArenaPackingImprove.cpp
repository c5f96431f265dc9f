//===- ArenaPackingImprove.cpp - Repack around the peak ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Large neighbourhood search. The aim is a height a little below the best one.
// In each round a buffer that reaches above the aim and a part of the buffers
// that are live with it are taken out and placed again, the offender first, the
// others in a shuffled order. The round stands if the bytes above the aim did
// not grow, or now and then if they grew a little; once nothing reaches above
// the aim, the aim is lowered. A round costs what its few buffers cost, so that
// the same work serves small and large problems.
//
//===----------------------------------------------------------------------===//

#include "ArenaPackingImpl.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace llvm;
using namespace nlp::solver;

/// About what a round takes out at most: the work is counted between rounds.
static constexpr size_t maxRemoved = 256;

namespace {
class Improver {
public:
  Improver(PackingState &state);
  void run(int64_t work);

private:
  void aimLower();
  bool tryRound();
  int64_t getOverflow(uint32_t buffer) const {
    return std::max<int64_t>(0, placer.getEnd(buffer) - aim);
  }
  void chooseNeighbourhood(uint32_t offender);
  void note(uint32_t buffer);
  double draw() { return static_cast<double>(random() >> 11) * 0x1p-53; }

  PackingState &state;
  const PackingProblem &problem;
  Placer placer;
  LiveIndex all; // every buffer, placed or not
  std::mt19937_64 random;
  int64_t aim = 0;
  /// Buffers that reach above the aim, in their own order.
  std::set<uint32_t> offenders;
  double temperature = 0;
  /// The buffers of this round in the order of placing, the offender first.
  std::vector<uint32_t> removed;
  std::vector<uint32_t> conflicts;
  std::vector<std::pair<double, uint32_t>> keyed;
  std::vector<int64_t> oldOffsets;
};
} // namespace

Improver::Improver(PackingState &state)
    : state(state), problem(state.problem), placer(problem), all(problem),
      random(state.options.seed), oldOffsets(problem.buffers.size()) {
  std::vector<uint32_t> movable;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    all.insert(i);
    if (!problem.buffers[i].fixedOffset)
      movable.push_back(i);
  }
  placer.restore(movable, state.best.offsets);
  aimLower();
}

/// Sets the aim below the best height.
void Improver::aimLower() {
  int64_t gap = state.best.height - state.target;
  aim = state.best.height - std::max<int64_t>(1, gap / 16);
  temperature = 0.02 * static_cast<double>(gap);
  offenders.clear();
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    note(i);
}

/// Files `buffer` under the offenders, or not.
void Improver::note(uint32_t buffer) {
  if (getOverflow(buffer) > 0)
    offenders.insert(buffer);
  else
    offenders.erase(buffer);
}

/// Sets `removed` to `offender` and a part of what is live with it, in an order
/// by size or by old offset that chance disturbs.
void Improver::chooseNeighbourhood(uint32_t offender) {
  conflicts.clear();
  all.findConflicts(offender, conflicts);
  double share = 0.3 + 0.7 * draw();
  if (conflicts.size() > maxRemoved)
    share = std::min(share, static_cast<double>(maxRemoved) /
                                static_cast<double>(conflicts.size()));
  bool bySize = draw() < 0.6;
  double noise = draw();
  keyed.clear();
  for (uint32_t other : conflicts) {
    if (other == offender || problem.buffers[other].fixedOffset ||
        draw() > share)
      continue;
    double key = bySize ? -static_cast<double>(problem.buffers[other].bytes)
                        : static_cast<double>(placer.offsets[other]) + 1;
    keyed.emplace_back(key * std::exp(noise * (2 * draw() - 1)), other);
  }
  llvm::sort(keyed);
  removed.assign(1, offender);
  for (auto [key, other] : keyed)
    removed.push_back(other);
}

/// One round; whether nothing reaches above the aim any more.
bool Improver::tryRound() {
  auto chosen = offenders.begin();
  std::advance(chosen, random() % std::min<size_t>(offenders.size(), 64));
  uint32_t offender = *chosen;
  if (problem.buffers[offender].fixedOffset)
    return false;
  chooseNeighbourhood(offender);
  double before = 0, after = 0;
  for (uint32_t buffer : removed) {
    oldOffsets[buffer] = placer.offsets[buffer];
    before += static_cast<double>(getOverflow(buffer));
  }
  placer.remove(removed);
  FitRule rule = draw() < 0.5 ? FitRule::First : FitRule::Best;
  placer.place(removed, rule);
  for (uint32_t buffer : removed)
    after += static_cast<double>(getOverflow(buffer));
  double worse = after - before;
  if (worse > 0 && draw() >= std::exp(-worse / temperature)) {
    placer.remove(removed);
    placer.restore(removed, oldOffsets);
    return false;
  }
  for (uint32_t buffer : removed)
    note(buffer);
  return offenders.empty();
}

void Improver::run(int64_t work) {
  for (int64_t round = 0; !state.isDone(); ++round) {
    if (placer.getWork() + all.work > work)
      return;
    if (round % 64 == 0 && state.shouldStop())
      return;
    if (offenders.empty() || tryRound()) {
      state.offer(placer.offsets, placer.getHeight());
      aimLower();
    }
  }
}

void nlp::solver::improvePacking(PackingState &state, int64_t work) {
  Improver(state).run(work);
}
