//===- Schedule.h - What the schedule of a step says ------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_SCHEDULE_H
#define NLP_DIALECT_NLP_IR_SCHEDULE_H

#include <cstdint>

namespace nlp {

class StepOp;

/// The micro-batches that the schedule of `step` runs, which are numbered from
/// 0; one where there is no schedule.
int64_t countMicroBatches(StepOp step);

} // namespace nlp

#endif // NLP_DIALECT_NLP_IR_SCHEDULE_H
