//===- RecomputeExactImpl.h - Parts of the exact recompute search ---------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the search sees of a problem: sets of values and ops are bit masks, and
// seconds are whole ticks, so that equal costs compare equal in whatever order
// they were added.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTEEXACTIMPL_H
#define NLP_LIB_SOLVER_RECOMPUTEEXACTIMPL_H

#include "RecomputeImpl.h"
#include "nlp/Solver/RecomputeExact.h"

namespace nlp::solver {

/// Values by bit; constants, which are always live, have none.
using ValueMask = uint64_t;
/// Ops by bit.
using OpMask = uint64_t;

/// Bytes that values share.
struct ExactStorage {
  ValueMask values = 0;
  int64_t bytes = 0;
};

struct ExactOp {
  int64_t ticks = 0;
  int64_t workspaceBytes = 0;
  ValueMask inputs = 0, outputs = 0;
  /// Storages of inputs and outputs that have bytes of their own to count.
  llvm::SmallVector<int32_t, 4> inputStorages, outputStorages;
  /// (output's, input's) storage, where one may take over from the other.
  llvm::SmallVector<std::pair<int32_t, int32_t>, 1> inPlace;
  /// The op's place among those that run once, or -1.
  int32_t onceRank = -1;
  /// A bit of State::done where no value shows that the op has run, or 0.
  uint64_t doneBit = 0;
};

/// What is live and what has run. Values that share a storage stay live until
/// all of them are dropped: keeping them costs nothing.
struct ExactState {
  ValueMask live = 0;
  /// Bits of ops as above; from `positionShift` on the number of ops that run
  /// once and have run.
  uint64_t done = 0;

  bool operator==(const ExactState &other) const {
    return live == other.live && done == other.done;
  }
};

class ExactProgram {
public:
  static constexpr int positionShift = 48;
  /// In-place pairs of an op: which of them are used is tried out.
  static constexpr size_t maxInPlace = 6;
  static constexpr int64_t infiniteTicks = INT64_MAX / 4;

  /// Empty where the masks are too small for the program.
  static std::optional<ExactProgram> create(const RecomputeProgram &from);

  /// Ticks of the ops that must still run from `state` on, whatever is kept
  /// from here; zero ticks may still mean ops (`opsLeft`). Infinite where an op
  /// would have to run a second time that may not.
  int64_t getRemainingTicks(const ExactState &state, OpMask &opsLeft) const;

  /// Values that something may still be made of, or that are results. The
  /// others are dropped as soon as they are made.
  ValueMask getUseful(const ExactState &state) const;

  static int getPosition(const ExactState &state) {
    return static_cast<int>(state.done >> positionShift);
  }

  std::vector<ExactOp> ops;
  std::vector<ExactStorage> storages; // that take bytes
  std::vector<int32_t> producers;     // op of each value's bit
  std::vector<int32_t> onceOps;       // by rank
  ValueMask results = 0;
  uint64_t allDone = 0;
  int64_t constantBytes = 0;
  double tickSeconds = 1; // a power of two
};

enum class ExactOutcome { Found, Impossible, OutOfWork };

/// How a search ended, and what it learned.
struct ExactSearchResult {
  ExactOutcome outcome = ExactOutcome::OutOfWork;
  std::vector<int32_t> sequence; // of ops, where found
  /// No plan within the budget takes fewer.
  int64_t lowerBoundTicks = 0;
  /// The least budget above this one for which the search would see anything
  /// else.
  int64_t nextBudget = INT64_MAX;
};

/// What is searched for.
struct ExactQuery {
  int64_t budget = 0;
  /// Any plan will do, however slow.
  bool ignoresTime = false;
  /// Only plans of fewer ticks count.
  int64_t ticksLimit = ExactProgram::infiniteTicks;
};

/// Searches `program`; takes what it spends off `work`.
ExactSearchResult searchRecompute(const ExactProgram &program,
                                  const ExactQuery &query,
                                  const ExactOptions &options, int64_t &work);

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTEEXACTIMPL_H
