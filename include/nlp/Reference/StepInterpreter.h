//===- StepInterpreter.h - Runs the steps of a module -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of any phase of the nlp dialect. A step with a schedule runs
// as that says; one without runs its segments in order, which for a graph is
// the forward segment. The marks of a plan are ignored: they never change a
// value.
//
// Cost: all values of a segment live until it ends, in f64. For small models.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_REFERENCE_STEPINTERPRETER_H
#define NLP_REFERENCE_STEPINTERPRETER_H

#include "mlir/IR/BuiltinOps.h"
#include "nlp/Reference/Evaluate.h"
#include <map>
#include <optional>
#include <string>

namespace nlp {
class StepOp;
class SegmentOp;
} // namespace nlp

namespace nlp::ref {

/// Scalars that a training loop supplies, with the training binary's defaults.
struct Hyperparameters {
  double learningRate = 3e-4, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8,
         weightDecay = 0.1, momentum = 0.9, maxGradNorm = 1.0;
};

/// A global batch: `tokens` and `targets` are [sequences, length].
struct Batch {
  int64_t sequences = 0, length = 0;
  std::vector<int64_t> tokens, targets;
};

/// What one step is given. Steps count from 1.
struct StepInput {
  int64_t step = 1;
  /// The run's seed.
  uint64_t seed = 1;
  Hyperparameters hyper;
  Batch batch;
};

/// What a step reports.
struct Figures {
  std::optional<double> loss, gradNorm;
};

/// Tensors by name, in alphabetical order.
using NamedTensors = std::map<std::string, TensorValue>;

class StepInterpreter {
public:
  /// Finds the step of `module` and checks what the inputs need. Parameters
  /// start as their declarations say, drawn with `seed`.
  static llvm::FailureOr<StepInterpreter>
  create(mlir::ModuleOp module, uint64_t seed, Rounding rounding);

  /// Sizes of the global batch; 0 for a step without inputs.
  int64_t getSequences() const { return sequences; }
  int64_t getLength() const { return length; }
  /// The number of ids that every table and loss of the step takes.
  int64_t getVocabulary() const { return vocabulary; }

  /// Runs a whole step, update included.
  llvm::FailureOr<Figures> run(const StepInput &input);

  /// Computes the loss of a step: no backward pass, nothing is assigned.
  llvm::FailureOr<double> computeLoss(const StepInput &input);

  /// Computes the loss of a batch by the evaluate segment, the sum over all
  /// micro-batches; nothing is assigned.
  llvm::FailureOr<double> computeEvaluationLoss(const StepInput &input);

  /// The parameters as they are now; may be changed.
  NamedTensors &getParameters() { return parameters; }
  /// The gradients of the last `run`, by parameter.
  NamedTensors getGradients() const;

private:
  /// What of a step runs: all of its schedule, what its loss needs, or its
  /// evaluate segment for each micro-batch.
  enum class Extent { All, LossOnly, Evaluation };

  /// One execution of a segment.
  struct Run;

  explicit StepInterpreter(mlir::ModuleOp module) : module(module) {}

  llvm::LogicalResult initialize(uint64_t seed);
  llvm::LogicalResult measureInputs();
  std::vector<Run> getRuns(Extent extent) const;
  llvm::LogicalResult runStep(const StepInput &input, Extent extent);
  llvm::FailureOr<double> getLoss(const StepInput &input, Extent extent);
  llvm::LogicalResult runSegment(SegmentOp segment);
  llvm::LogicalResult runOp(mlir::Operation *op, Environment &env);
  TensorValue *findSymbol(llvm::StringRef name);
  TensorValue *findSlot(mlir::Operation *op, llvm::StringRef name);
  TensorValue readInput(mlir::RankedTensorType type, bool targets);
  void readScalar(mlir::Operation *op, Environment &env);
  void accumulate(mlir::Type element, TensorValue &sum,
                  const TensorValue &value);

  StepOp findStep() const;

  mlir::ModuleOp module;
  Rounding rounding = Rounding::Narrow;
  int64_t sequences = 0, length = 0, vocabulary = 0;
  /// Sequences of one micro-batch.
  int64_t microSequences = 0;
  NamedTensors parameters, states;
  /// Slots by name and micro-batch; accumulating ones stand at micro-batch 0.
  std::map<std::pair<std::string, int64_t>, TensorValue> slots;

  // Of the step that runs.
  const StepInput *input = nullptr;
  Extent extent = Extent::All;
  int64_t microBatch = 0;
  Figures figures;
};

} // namespace nlp::ref

#endif // NLP_REFERENCE_STEPINTERPRETER_H
