//===- RecomputeNested.h - How often ops have to run ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second lower bound of docs/Planner/Recompute.md: where not even what
// leads from stage to stage can be kept, stages run again more than once. Bytes
// have a price at one moment of each window; at any prices, the least that runs
// and bytes cost together is a dynamic program over the chain.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTENESTED_H
#define NLP_LIB_SOLVER_RECOMPUTENESTED_H

#include "RecomputeChain.h"

namespace nlp::solver {

/// A way to have what the window of a stage reads of its values.
struct WindowOption {
  /// Held at the moments since the stage last ran before its own phase, less
  /// what may count already.
  int64_t bytesBefore = 0;
  int64_t bytesAt = 0; ///< Held at the window's own moment.
  double seconds = 0;  ///< Of the stage's ops, from the first moment on.
  /// Whether what leads into the stage is read in its phase.
  bool readsBoundary = false;
};

/// A stage as the bound sees it. Phases are what lies between two moments; that
/// of a stage ends with the stage's own.
struct NestedStage {
  /// A fixed op of the window; -1 where it has none, which is no moment.
  int32_t moment = -1;
  int64_t heldBytes = 0; ///< Live at the moment in every schedule.
  /// Of what leads into the stage, or of what leads into one before it, where
  /// that is less. 0 for the first stage: what leads into it is free.
  int64_t boundaryBytes = 0;
  /// So many bytes of a stage may already count as what leads into or out of
  /// it. Storages with less are free.
  int64_t doubtBytes = 0;
  /// Whether either what leads into the stage or as many bytes of the stage
  /// have to be there in its phase.
  bool needsBoundary = false;
  /// Least time to make what leads out, of ops that have run by the first
  /// moment, if less of the stage is held than that takes bytes.
  double passSeconds = 0;
  std::vector<WindowOption> options;
};

/// The stages from which on a chain has what the bound asks for, by rising
/// position; at most one where it has none. `heldBytes` are those of each op.
std::vector<NestedStage>
findNestedStages(const Chain &chain, const std::vector<int64_t> &heldBytes);

/// Prices of bytes at moments, and the bound that they give at any budget.
class NestedBound {
public:
  explicit NestedBound(std::vector<NestedStage> stages)
      : stages(std::move(stages)) {}

  /// Whether there is anything to bound.
  bool isUseful() const { return stages.size() > 1; }
  const std::vector<NestedStage> &getStages() const { return stages; }

  /// Seconds that all schedules take within the budget beyond each op once, if
  /// bytes have these `prices` (seconds a byte) at the moments; fills in what
  /// the cheapest way holds at each moment beyond what there is room for.
  double evaluate(int64_t budgetBytes, llvm::ArrayRef<double> prices,
                  std::vector<double> *excessBytes = nullptr);

  /// The best prices that are found; none if there is little hope for more than
  /// the `knownSeconds` of another bound.
  std::vector<double> findPrices(int64_t budgetBytes, double knownSeconds);

private:
  struct Window {
    double seconds = 0;
    const WindowOption *option = nullptr;
  };
  struct Split {
    int32_t stage = -1; ///< From there on it is solved first.
    int32_t last = -1;  ///< Of the stages before, the last one with a need.
  };
  double solve(llvm::ArrayRef<double> prices);
  Window findWindow(int32_t stage, int32_t phase) const;
  void addWindow(int32_t stage, int32_t phase,
                 std::vector<double> &bytes) const;
  void addUses(std::vector<double> &bytes) const;
  size_t getCell(size_t from, size_t to) const {
    return from * stages.size() + to;
  }

  std::vector<NestedStage> stages;
  // By first and last stage: what the stages between cost from the phase of the
  // last one on, if what leads into the first is there; in `served` it is held
  // to the first one's phase.
  std::vector<double> open, served;
  std::vector<Split> splits;
  std::vector<double> windows; ///< By stage and phase of its last run before.
  std::vector<double> prices, sums, passes;
};

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTENESTED_H
