//===- Step.h - Runs the segments of one training step -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiled step is segments and a schedule. Before each run the runtime
// copies tokens, targets and scalars into the ports of that segment; after the
// last it reads the figures. It computes nothing of the model and, once
// constructed, allocates nothing.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_STEP_H
#define NLPRT_CORE_STEP_H

#include "nlprt/nlprt.h"
#include <cstdint>
#include <vector>

namespace nlprt {

struct Hyperparameters {
  double learningRate, beta1, beta2, epsilon, weightDecay, momentum,
      maxGradNorm;
  int64_t seed;
};

struct Figures {
  double loss, gradNorm; // NaN where the program has no such figure
  bool hasGradNorm;
};

/// Throws Error unless the program's tables make sense: version, offsets within
/// the arena, sizes of ports, indices of segments.
void checkProgram(const nlprt_program &program);

class StepRunner {
public:
  StepRunner(const nlprt_program &program, nlprt_context *context, char *arena);

  /// Runs step `step` (from 1). `tokens` holds global_batch rows of
  /// seq_len + 1 tokens. Throws Error if a segment fails.
  Figures train(int64_t step, const Hyperparameters &hyper,
                const int32_t *tokens);

  bool canEvaluate() const { return evaluateSegment >= 0; }
  /// The sum of the mean losses of `rows` sequences, at most micro_batch, which
  /// are the rows of `tokens`.
  double evaluate(int64_t step, const Hyperparameters &hyper,
                  const int32_t *tokens, int64_t rows);

private:
  void setScalars(int64_t segment, int64_t step, int64_t firstSequence,
                  const Hyperparameters &hyper);
  void setInputs(int64_t segment, const int32_t *tokens, int64_t rows);
  void call(int64_t segment, int64_t step, int64_t microBatch);
  const nlprt_tensor *findFigure(int64_t kind, bool evaluation) const;
  double readFigure(const nlprt_tensor *figure) const;

  const nlprt_program &program;
  nlprt_context *context;
  char *arena;
  int64_t evaluateSegment = -1;
  const nlprt_tensor *loss, *gradNorm, *evaluateLoss;
};

} // namespace nlprt

#endif // NLPRT_CORE_STEP_H
