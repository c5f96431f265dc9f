//===- TrainingSteps.h - Programs like training steps -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Training steps of Transformers, op by op, with roofline times: what tests and
// benchmarks of the recompute solver run on.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TEST_UNIT_SOLVER_TRAININGSTEPS_H
#define NLP_TEST_UNIT_SOLVER_TRAININGSTEPS_H

#include "nlp/Solver/Recompute.h"

namespace nlp::test {

/// Sizes of a model and of the machine it runs on.
struct StepShape {
  int64_t layers = 12;
  int64_t tokens = 4096; ///< Of the micro-batch.
  int64_t sequence = 1024;
  int64_t hidden = 768;
  int64_t heads = 12;
  int64_t kvHeads = 12;
  int64_t ffn = 3072;
  int64_t vocabulary = 50257;
  /// RMS norm, rotary embedding, SwiGLU instead of layer norm and GELU.
  bool isLlama = false;
  /// The loss runs in so many chunks, each forward and backward at once; 0: the
  /// logits as a whole, forward before backward.
  int64_t headChunks = 8;
  double flopsPerSec = 500e12;
  double bytesPerSec = 3e12;
};

/// GPT-2 with 124M parameters.
StepShape getGpt2();
/// GPT-3's shape: 96 layers of 12,288.
StepShape getGpt3();
/// Llama 2 7B.
StepShape getLlama();
/// The times of a machine like a CPU with two memory channels.
StepShape onCpu(StepShape shape);

/// The step: forward ops, then the backward ones, each of which runs once.
/// Weight gradients come before data gradients; parameters and their gradients
/// are constants, tokens and targets come from an op that may not repeat.
nlp::solver::RecomputeProblem makeTrainingStep(const StepShape &shape);

} // namespace nlp::test

#endif // NLP_TEST_UNIT_SOLVER_TRAININGSTEPS_H
