//===- Schedule.h - Learning rate by step -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_SCHEDULE_H
#define NLPRT_CORE_SCHEDULE_H

#include <cstdint>

namespace nlprt {

enum class ScheduleKind { Cosine, Linear, Constant, WarmupStableDecay };

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::Cosine;
  double peak = 3e-4;
  int64_t warmup = -1; // steps; -1: a twentieth of all, 2000 at most
};

/// The learning rate of `step` (from 1) of `steps`: it rises in equal parts to
/// the peak at step `warmup`, then, with p in [0, 1) the share of the remaining
/// steps that is done,
///   cosine    peak * (0.1 + 0.9 * (1 + cos(pi p)) / 2)
///   linear    peak * (1 - p)
///   constant  peak
///   wsd       peak while p < 0.8, then peak * (1 - p) / 0.2
double learningRate(const ScheduleOptions &options, int64_t step,
                    int64_t steps);

const char *scheduleName(ScheduleKind kind);

} // namespace nlprt

#endif // NLPRT_CORE_SCHEDULE_H
