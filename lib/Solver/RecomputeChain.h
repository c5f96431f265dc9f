//===- RecomputeChain.h - Programs that are chains of stages -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training step as a chain: forward ops cut into stages where a single value
// leads from one to the next, and for each stage the window of backward ops
// that read its values, windows in the opposite order. What a run of stages may
// keep, and the frontier of the whole chain by dynamic programming.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTECHAIN_H
#define NLP_LIB_SOLVER_RECOMPUTECHAIN_H

#include "RecomputeImpl.h"
#include <map>
#include <memory>

namespace nlp::solver {

/// Consecutive forward ops and the backward ops that read what they put out.
struct ChainStage {
  int32_t opBegin = 0, opEnd = 0;
  int32_t windowBegin = 0, windowEnd = 0;
  /// The storage that leads into the stage, or -1.
  int32_t boundary = -1;
  /// Whether that is read in the window of the stage before, too.
  bool sharesBoundary = false;
  /// Stages of the same kind cost the same, whatever they keep.
  int32_t kind = 0;
};

struct Chain {
  const RecomputeProgram *program = nullptr;
  /// Ops before are forward; ops from here on are taken to run once, in order.
  int32_t turn = 0;
  std::vector<ChainStage> stages;
  /// Forward storages that no plan drops before their last use.
  std::vector<char> isPinned;
  /// Ops that may be simulated to find what an item keeps.
  int64_t itemWork = 0;
  /// Bytes of constants and all pinned storages.
  int64_t residentBytes = 0;
  /// Bytes during and before each op from `turn` on that no plan can change:
  /// resident ones and those that backward ops put out.
  std::vector<int64_t> baseDuring, baseBefore;

  int64_t getBoundaryBytes(int32_t stage) const {
    int32_t storage = stages[stage].boundary;
    return storage < 0 ? 0 : program->storageBytes[storage];
  }
  /// Bytes that no plan can change when the window of `stage` begins.
  int64_t getBase(int32_t stage) const {
    return baseBefore[stages[stage].windowBegin];
  }
};

/// Where a program turns from forward to backward: `firstFixed`, or what looks
/// most like it.
int32_t findTurn(const RecomputeProgram &program);

/// The program as a chain of two stages or more, or none.
std::optional<Chain> findChain(const RecomputeProgram &program);

/// A way to run stages that are next to each other: what is kept between their
/// forward and their backward pass. Bytes beside those of the stages outside
/// and, for the backward pass, beside the base at the window's begin.
struct ItemOption {
  int64_t keptBytes = 0;   ///< Without the boundary that leads out.
  int64_t forwardPeak = 0; ///< With the boundary that leads in.
  int64_t holdingPeak = 0; ///< The same where that boundary stays.
  int64_t backwardPeak = 0;
  double againSeconds = 0;   ///< Recomputation in the backward pass.
  double forwardSeconds = 0; ///< A forward pass that only makes what is kept.
  std::vector<int32_t> forward;  ///< Ops of that pass, relative to the first.
  std::vector<int32_t> backward; ///< Ops of the window, relative to its first,
                                 ///< with ops to run again as -1 - relative.
};

/// Stages [begin, end) run as one, and the Pareto set of what they may keep.
struct ChainItem {
  std::vector<ItemOption> options;
  /// The options that keep nothing.
  std::vector<int32_t> leaves;
};

/// The options of stages [begin, end), as many as matter.
ChainItem makeItem(const Chain &chain, int32_t begin, int32_t end);

/// Peak and time of one schedule of a chain.
struct ChainPoint {
  int64_t peakBytes = 0;
  double extraSeconds = 0; ///< Beyond each op once.
};

/// The frontier of a chain.
class ChainSolver {
public:
  explicit ChainSolver(const Chain &chain);
  ~ChainSolver();

  /// By rising peak and falling time. Peaks are no less than those of the
  /// schedules that getOrder() gives.
  const std::vector<ChainPoint> &getPoints() const { return points; }
  std::vector<int32_t> getOrder(size_t point) const;

private:
  struct Tables;
  std::unique_ptr<Tables> tables;
  std::vector<ChainPoint> points;
};

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTECHAIN_H
