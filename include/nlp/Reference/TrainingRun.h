//===- TrainingRun.h - Runs steps on data, as a training binary does ------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_REFERENCE_TRAININGRUN_H
#define NLP_REFERENCE_TRAININGRUN_H

#include "nlp/Reference/StepInterpreter.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace nlp::ref {

enum class ScheduleKind { Cosine, Linear, Constant, WarmupStableDecay };

/// The options of a training binary, with its defaults except for `steps`.
struct RunOptions {
  /// A .bin file of 16-bit tokens, or text; random tokens where empty.
  std::string data;
  /// A .safetensors file; initial values where empty.
  std::string weights;
  int64_t steps = 1;
  uint64_t seed = 1;
  ScheduleKind schedule = ScheduleKind::Cosine;
  /// Steps; -1: a twentieth of all, 2000 at most.
  int64_t warmup = -1;
  /// `learningRate` is the peak.
  Hyperparameters hyper;
  /// Every n-th target counts nothing; 0: all count.
  int64_t ignoreEvery = 0;
  Rounding rounding = Rounding::Narrow;
  /// Evaluate the batch of each step instead of training on it.
  bool evaluate = false;
};

/// One step's figures.
struct StepRecord {
  int64_t step;
  double learningRate;
  Figures figures;
};

/// What a run leaves.
struct RunResult {
  std::vector<StepRecord> steps;
  NamedTensors firstGradients, parameters;
};

/// A sequence of tokens that a run reads from.
class TokenStream {
public:
  /// Opens the data that `options` name, of ids below `vocabulary`. Sequences
  /// have `length` tokens.
  static llvm::Expected<TokenStream> open(const RunOptions &options,
                                          const StepInterpreter &interpreter);

  /// The global batch of a step, from 1: sequence b is number
  /// (step - 1) * sequences + b; its inputs are `length` tokens and its targets
  /// the `length` tokens one further on. The data repeats.
  Batch read(int64_t step) const;

private:
  int64_t sequences = 0, length = 0, ignoreEvery = 0;
  std::vector<int64_t> tokens;
};

/// An interpreter with its parameters in place, from `options.weights` or as
/// the module says.
llvm::Expected<StepInterpreter> prepareRun(mlir::ModuleOp module,
                                           const RunOptions &options);

/// What step `step`, from 1, is given.
StepInput getStepInput(const RunOptions &options, const TokenStream &stream,
                       int64_t step);

/// Runs `options.steps` steps, calling `report` after each.
llvm::Expected<RunResult>
runTraining(mlir::ModuleOp module, const RunOptions &options,
            llvm::function_ref<void(const StepRecord &)> report);

} // namespace nlp::ref

#endif // NLP_REFERENCE_TRAININGRUN_H
