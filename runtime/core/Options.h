//===- Options.h - What a training run is told -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_OPTIONS_H
#define NLPRT_CORE_OPTIONS_H

#include "core/Schedule.h"
#include "nlprt/nlprt.h"
#include <optional>
#include <string>

namespace nlprt {

struct Options {
  std::string data, weights, evalData, checkpointDir, metrics, tensorboard,
      trace, save;
  int64_t steps = 1000, evalEvery = 0, evalBatches = 0, checkpointEvery = 0,
          threads = 0;
  ScheduleOptions schedule;
  double weightDecay = 0.1, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8,
         maxGradNorm = 1.0, momentum = 0.9;
  int64_t seed = 1;
  bool shuffled = false, resume = false;
  std::string describe; // "all", "json" or empty
};

/// Parses the command line and fills in what depends on other options or the
/// program. Returns an exit code if there is nothing left to do (help, version,
/// wrong usage), having written to stdout or stderr.
std::optional<int> parseOptions(const nlprt_program &program, int argc,
                                char **argv, Options &options);

/// What parseOptions says before it looks at the program, for a tool that is
/// yet to compile one; `needsData`: the program is to run. Wrong usage comes
/// with `hint` on a line of its own.
std::optional<int> checkOptions(const std::string &model, int argc, char **argv,
                                bool needsData, const std::string &hint);

/// Whether the program reads such a scalar (nlprt_scalar).
bool usesScalar(const nlprt_program &program, int64_t kind);

} // namespace nlprt

#endif // NLPRT_CORE_OPTIONS_H
