//===- StorageProblem.h - Keep or recompute, as numbers ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PLANNER_STORAGEPROBLEM_H
#define NLP_PLANNER_STORAGEPROBLEM_H

#include "mlir/Support/LLVM.h"
#include "nlp/Solver/Recompute.h"
#include <vector>

namespace mlir {
class Operation;
}

namespace nlp {

class SegmentOp;
class StepOp;
struct Machine;

/// The forward and backward pass of one micro-batch as a straight-line program:
/// which forward values to keep, and which to compute again. Built on the
/// shapes that run: after micro-batch, loss chunks and partition are applied.
struct StorageProblem {
  /// Op number i of the program is op number i of the segment.
  solver::RecomputeProblem program;
  std::vector<mlir::Operation *> ops;
};

/// Reads the `forward_backward` segment of `step`. Constants are what is there
/// all the time: parameters, states and, where the step has several
/// micro-batches, gradients. Inputs are there from the start and are made by
/// the first op. `workspaceBytes` are those of each op of the segment while it
/// runs, as its kernels ask for; where there are none they are not counted.
/// Where the plan updates in the backward pass, a gradient lasts until its
/// parameter is free to change. Bytes are rounded to the arena's alignment.
StorageProblem buildStorageProblem(StepOp step, const Machine &machine,
                                   mlir::ArrayRef<int64_t> workspaceBytes = {});

/// The `forward_backward` segment of `step`, or null.
SegmentOp getPassesSegment(StepOp step);

/// Writes `schedule` down: which results are computed again, and the order of
/// the segment with all its recomputations. Replaces what was there.
void writeStoragePlan(SegmentOp segment, const StorageProblem &problem,
                      mlir::ArrayRef<solver::ScheduledOp> schedule);

} // namespace nlp

#endif // NLP_PLANNER_STORAGEPROBLEM_H
