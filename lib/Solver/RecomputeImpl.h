//===- RecomputeImpl.h - Parts of the recompute solver ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Recompute*.cpp share: a program with its relations looked up, and the
// replay of an order of executions.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTEIMPL_H
#define NLP_LIB_SOLVER_RECOMPUTEIMPL_H

#include "nlp/Solver/Recompute.h"
#include "llvm/ADT/ArrayRef.h"

namespace nlp::solver {

/// A problem that check() finds nothing wrong with, with everything looked up.
struct RecomputeProgram {
  explicit RecomputeProgram(const RecomputeProblem &problem);

  const ProgramOp &getOp(int32_t op) const { return problem.ops[op]; }
  size_t getNumOps() const { return problem.ops.size(); }
  size_t getNumValues() const { return problem.values.size(); }
  int64_t getBytes(int32_t value) const { return storageBytes[value]; }
  bool isConstant(int32_t value) const { return producers[value] < 0; }
  /// Whether the op runs exactly once, in order with its like.
  bool isFixed(int32_t op) const {
    return op >= problem.firstFixed || !problem.ops[op].canRepeat;
  }

  const RecomputeProblem &problem;
  std::vector<int32_t> producers; ///< Op of each value; -1 for constants.
  std::vector<int32_t> storages;  ///< The value whose bytes each value is in.
  std::vector<int64_t> storageBytes; ///< Of each value's storage; 0 where it
                                     ///< is that of a constant.
  /// Whether each value in a storage is made from another one in it, up to the
  /// first: then having any of them again means that one's op runs again.
  std::vector<char> canRebuild;
  /// Whether all ops that make values in a storage may run again, too.
  std::vector<char> canDrop;
  std::vector<char> isResult;
  std::vector<llvm::SmallVector<int32_t, 4>> users; ///< Ops, rising.
  int64_t constantBytes = 0;
  double onceSeconds = 0; ///< Each op once.
};

/// What an order of executions costs if each value is dropped after its last
/// use before it is produced again.
struct Replay {
  int64_t peakBytes = 0;
  int32_t peakPosition = -1;
  double seconds = 0;
};

/// Replays `order`, in which the inputs of each op have been put out before it.
/// Fills in the schedule, the bytes live during each execution, and those live
/// before each one and at the end, where asked to. O(operands).
Replay replayOrder(const RecomputeProgram &program,
                   llvm::ArrayRef<int32_t> order,
                   std::vector<ScheduledOp> *schedule = nullptr,
                   std::vector<int64_t> *liveBytes = nullptr,
                   std::vector<int64_t> *bytesBefore = nullptr);

/// The solution that runs `order`; without a bound.
RecomputeSolution makeSolution(const RecomputeProgram &program,
                               llvm::ArrayRef<int32_t> order);

/// Solves a small program exactly, or says within the budget of work that it
/// cannot. A feasible solution is optimal; an infeasible one is proven to be.
std::optional<RecomputeSolution>
solveRecomputeExactly(const RecomputeProblem &problem, int64_t budgetBytes,
                      int64_t work);

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTEIMPL_H
