//===- Schedule.cpp - Learning rate by step -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Schedule.h"
#include <algorithm>
#include <cmath>

namespace nlprt {

double learningRate(const ScheduleOptions &options, int64_t step,
                    int64_t steps) {
  double peak = options.peak;
  int64_t warmup = std::max<int64_t>(options.warmup, 0);
  if (step < warmup)
    return peak * static_cast<double>(step) / static_cast<double>(warmup);
  int64_t decay = std::max<int64_t>(steps - warmup, 1);
  int64_t gone = std::clamp<int64_t>(step - 1 - warmup, 0, decay);
  double p = static_cast<double>(gone) / static_cast<double>(decay);
  switch (options.kind) {
  case ScheduleKind::Cosine:
    return peak * (0.1 + 0.45 * (1 + std::cos(M_PI * p)));
  case ScheduleKind::Linear:
    return peak * (1 - p);
  case ScheduleKind::Constant:
    return peak;
  case ScheduleKind::WarmupStableDecay:
    return p < 0.8 ? peak : peak * (1 - p) / 0.2;
  }
  return peak;
}

const char *scheduleName(ScheduleKind kind) {
  static const char *const names[] = {"cosine", "linear", "constant", "wsd"};
  return names[static_cast<int>(kind)];
}

} // namespace nlprt
