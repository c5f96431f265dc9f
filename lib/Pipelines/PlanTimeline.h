//===- PlanTimeline.h - A step's memory, launch by launch -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_PIPELINES_PLANTIMELINE_H
#define NLP_LIB_PIPELINES_PLANTIMELINE_H

#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"
#include <string>

namespace nlp {

/// A stretch of launches of one kind: [begin, end).
struct TimelinePhase {
  std::string name;
  int64_t microBatch; // -1: of no micro-batch
  int64_t begin, end;
};

/// Some launches that follow one another, shown by the one among them at which
/// most bytes are live.
struct TimelineColumn {
  int64_t launch = 0;
  mlir::Operation *op = nullptr;
  std::vector<int64_t> bytes; // by category
  int64_t recomputed = 0;     // launches of the column that repeat others
};

/// A value that is live at the peak.
struct TimelineValue {
  std::string name, op, type;
  rt::Category category;
  int64_t bytes;
  /// In launches; of many intervals, only the one at the peak.
  std::vector<std::pair<int64_t, int64_t>> live;
  int64_t intervals;
};

/// Time is counted in launches: positions of the program that run a kernel.
struct PlanTimeline {
  int64_t launches = 0;
  int64_t launchesOfColumn = 1; // the last column may have fewer
  int64_t peakColumn = 0;
  int64_t recomputed = 0; // launches of all columns
  std::vector<TimelineColumn> columns;
  std::vector<TimelinePhase> phases;
  std::vector<TimelineValue> largest;
};

PlanTimeline buildTimeline(rt::ProgramOp program,
                           const rt::MemoryReport &memory);

/// What runs: the kernel's name, or the op's where it is generated.
std::string getLaunchName(mlir::Operation *op);

/// Whether `op` repeats one of the forward pass.
bool isRecomputation(mlir::Operation *op);

} // namespace nlp

#endif // NLP_LIB_PIPELINES_PLANTIMELINE_H
