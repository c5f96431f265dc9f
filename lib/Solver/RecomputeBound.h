//===- RecomputeBound.h - A time no schedule is below -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lower bound of docs/Planner/Recompute.md, kept between budgets: what has
// to be in memory at an op does not depend on the budget.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTEBOUND_H
#define NLP_LIB_SOLVER_RECOMPUTEBOUND_H

#include "MinCut.h"
#include "RecomputeImpl.h"
#include "RecomputeNested.h"
#include <map>
#include <memory>

namespace nlp::solver {

/// The storages of an op's operands that take bytes, each once.
llvm::SmallVector<int32_t, 8> getStorages(const RecomputeProgram &program,
                                          int32_t op);
/// The ops that have run, in every schedule, before `op` first does.
std::vector<char> getBefore(const RecomputeProgram &program, int32_t op);
/// Bytes live at each fixed op in every schedule, and at each other op those of
/// its operands.
std::vector<int64_t> getHeldBytes(const RecomputeProgram &program);

/// The network of one op: what is read after it, cut at a price.
class BoundNetwork {
public:
  BoundNetwork(const RecomputeProgram &program, int32_t op, double unit);

  /// A cut at `price` (units per byte): that many units for the ops that run
  /// again and bytes for the values that are held.
  struct Cut {
    int64_t value = 0; ///< Units: no more than the true minimum.
    long double units = 0;
    long double bytes = 0;
  };
  Cut cut(double price);
  /// The ops that the last cut runs again.
  std::vector<int32_t> getRecomputed() const;
  /// Edges looked at so far.
  int64_t getWork() const { return network.work; }

  int32_t op;
  int64_t heldBytes = 0; ///< Live at the op in every schedule.
  Cut keepAll;           ///< At a price of 0.
  Cut recomputeAll;      ///< At an infinite price.

private:
  struct Keep {
    int32_t edge, node, producer; ///< Producer: its node.
    int64_t bytes;
  };
  struct Run {
    int32_t edge, node, op;
    int64_t units; ///< Rounded down.
  };
  MinCut network;
  std::vector<Keep> keeps;
  std::vector<Run> runs;
};

/// Bounds of one program at any budget.
class RecomputeBounder {
public:
  explicit RecomputeBounder(const RecomputeProgram &program);
  RecomputeBound bound(int64_t budgetBytes);

private:
  BoundNetwork &getNetwork(int32_t op);
  void addNested(int64_t budgetBytes, RecomputeBound &bound);

  const RecomputeProgram &program;
  double unit; ///< Seconds of a unit of capacity.
  int64_t floorBytes = 0;
  int32_t floorOp = -1;
  std::vector<int32_t> candidates;
  std::map<int32_t, std::unique_ptr<BoundNetwork>> networks;
  std::optional<NestedBound> nested; ///< None: not looked for yet.
};

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTEBOUND_H
