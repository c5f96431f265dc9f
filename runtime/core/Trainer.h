//===- Trainer.h - A training run from start to end -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_TRAINER_H
#define NLPRT_CORE_TRAINER_H

#include "core/Arena.h"
#include "core/Checkpoint.h"
#include "core/Context.h"
#include "core/DataOrder.h"
#include "core/Evaluation.h"
#include "core/LossCurve.h"
#include "core/Metrics.h"
#include "core/Options.h"
#include "core/Progress.h"
#include "core/Signals.h"
#include "core/Step.h"
#include "core/TensorBoard.h"
#include "core/Trace.h"
#include <memory>

namespace nlprt {

/// Owns all that a run needs. Construction opens every file and takes all
/// memory, so that what can fail does so before the first step; the loop then
/// allocates nothing.
class Trainer {
public:
  Trainer(const nlprt_program &program, const Options &options,
          const std::string &name);

  /// Trains and returns an exit code. Throws Error.
  int run();

private:
  void loadModel();
  RunSettings settings() const;
  void trainStep(int64_t step);
  void evaluate(int64_t step);
  void checkpoint(int64_t step);
  void finish(int64_t step);
  int stop(int64_t step);
  void warn(const std::string &text) const;
  void printStart() const;
  void printSummary(int64_t step);
  Hyperparameters hyperparameters(int64_t step) const;

  const nlprt_program &program;
  const Options &options;
  std::string name;
  StopSignals signals;
  TokenFile data;
  DataOrder order;
  std::unique_ptr<Evaluation> evaluation;
  nlprt_context context;
  std::unique_ptr<Trace> trace;
  Arena arena;
  StepRunner runner;
  std::unique_ptr<Checkpoints> checkpoints;
  int64_t begin = 0; // steps done when the run began
  std::unique_ptr<Metrics> metrics;
  TensorBoard board;
  std::unique_ptr<Progress> progress;
  std::unique_ptr<LossCurve> curve;
  std::vector<int32_t> tokens; // [global_batch, seq_len + 1]

  int64_t checkpointed = 0, residentAtFirst = 0;
  int64_t evaluated = -1; // the step of the last evaluation
  double loss = 0, evaluationLoss = 0, seconds = 0;
};

} // namespace nlprt

#endif // NLPRT_CORE_TRAINER_H
