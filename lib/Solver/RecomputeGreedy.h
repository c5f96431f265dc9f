//===- RecomputeGreedy.h - Schedules of any program -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a program is no chain: from the order given, values are dropped between
// their uses where too much is live, step by step down to the smallest peak
// that can be had that way.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTEGREEDY_H
#define NLP_LIB_SOLVER_RECOMPUTEGREEDY_H

#include "RecomputeImpl.h"

namespace nlp::solver {

/// An order of executions and what it costs.
struct GreedyPlan {
  std::vector<int32_t> order;
  Replay replay;
};

/// Plans from the order given to the smallest peak found, with about `work`
/// looks at operands.
std::vector<GreedyPlan>
planGreedily(const RecomputeProgram &program, int64_t floorBytes, int64_t work,
             const std::function<bool()> &shouldStop);

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTEGREEDY_H
