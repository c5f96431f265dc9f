//===- RecomputePeak.h - What fills the peak of a schedule -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For reports: the peak of a schedule and what is live there.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TOOLS_NLP_SOLVE_RECOMPUTEPEAK_H
#define NLP_TOOLS_NLP_SOLVE_RECOMPUTEPEAK_H

#include "RecomputeInstance.h"

namespace nlp {

struct Peak {
  int64_t bytes = 0;
  int32_t position = -1; ///< In the schedule; -1 where nothing runs.
  /// Of the bytes, by why they are live; storages that are live for several
  /// reasons count for the first.
  int64_t constantBytes = 0, inputBytes = 0, outputBytes = 0, heldBytes = 0;
  /// Values with storages that are live and no constants, the largest first.
  std::vector<int32_t> live;
};

/// The first peak of a schedule that verify() finds nothing wrong with.
Peak findPeak(const solver::RecomputeProblem &problem,
              const std::vector<solver::ScheduledOp> &schedule);

/// Each op once, in the order given, each value dropped after its last use.
std::vector<solver::ScheduledOp>
scheduleAsGiven(const solver::RecomputeProblem &problem);

} // namespace nlp

#endif // NLP_TOOLS_NLP_SOLVE_RECOMPUTEPEAK_H
