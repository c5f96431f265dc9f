//===- StepInterpreter.cpp - Runs the steps of a module ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Reference/StepInterpreter.h"
#include "mlir/IR/TypeUtilities.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlprt/counter_random.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

struct StepInterpreter::Run {
  SegmentOp segment;
  int64_t microBatch;
};

/// What `parameter` is before any training.
static TensorValue getInitialValue(ParameterOp parameter, uint64_t seed) {
  auto type = cast<RankedTensorType>(parameter.getType());
  TensorValue value(type);
  uint64_t key =
      nlprt_mix(seed, nlprt_hash_name(parameter.getSymName().str().c_str()));
  double scale = parameter.getInitScale().convertToDouble();
  for (int64_t i = 0; i < value.size(); ++i) {
    if (parameter.getInit() == InitKind::Ones)
      value[i] = 1.0;
    else if (parameter.getInit() == InitKind::Normal)
      value[i] = roundTo(type.getElementType(), scale * nlprt_normal(key, i));
  }
  return value;
}

StepOp StepInterpreter::findStep() const {
  auto steps = ModuleOp(module).getOps<StepOp>();
  return steps.empty() ? StepOp() : *steps.begin();
}

/// The segments to run, each for a micro-batch. Without a schedule, segments
/// run in order.
std::vector<StepInterpreter::Run>
StepInterpreter::getRuns(Extent extent) const {
  StepOp step = findStep();
  std::vector<Run> runs;
  std::optional<ArrayAttr> schedule = step.getSchedule();
  SymbolTable symbols(step);
  if (schedule && extent != Extent::Evaluation)
    for (auto run : schedule->getAsRange<RunAttr>())
      runs.push_back({symbols.lookup<SegmentOp>(run.getSegment().getAttr()),
                      run.getMicroBatch()});
  bool isEvaluation = extent == Extent::Evaluation;
  int64_t microBatches =
      isEvaluation && microSequences ? sequences / microSequences : 1;
  if (!schedule || isEvaluation)
    for (SegmentOp segment : step.getBody().getOps<SegmentOp>())
      for (int64_t i = 0; i < microBatches; ++i)
        if ((segment.getKind() == SegmentKind::Evaluate) == isEvaluation)
          runs.push_back({segment, i});
  return runs;
}

/// The smallest number of ids that a table or a loss of `step` takes from the
/// data.
static int64_t getSmallestVocabulary(StepOp step) {
  int64_t smallest = std::numeric_limits<int64_t>::max();
  step.walk([&](Operation *op) {
    if (auto embedding = dyn_cast<EmbeddingOp>(op))
      smallest =
          std::min(smallest, embedding.getTable().getType().getDimSize(0));
    else if (auto loss = dyn_cast<CrossEntropyOp>(op))
      smallest =
          std::min(smallest, loss.getLogits().getType().getShape().back());
  });
  return smallest;
}

FailureOr<StepInterpreter>
StepInterpreter::create(ModuleOp module, uint64_t seed, Rounding rounding) {
  int64_t steps = llvm::range_size(module.getOps<StepOp>());
  if (steps != 1)
    return module.emitError("expected a module with one nlp.step, but got ")
           << steps;
  StepInterpreter interpreter(module);
  interpreter.rounding = rounding;
  if (failed(interpreter.initialize(seed)) ||
      failed(interpreter.measureInputs()))
    return failure();
  return interpreter;
}

LogicalResult StepInterpreter::initialize(uint64_t seed) {
  for (auto parameter : module.getOps<ParameterOp>())
    parameters[parameter.getSymName().str()] = getInitialValue(parameter, seed);
  for (auto state : module.getOps<StateOp>())
    states[state.getSymName().str()] =
        TensorValue(cast<RankedTensorType>(state.getType()));
  return success();
}

LogicalResult StepInterpreter::measureInputs() {
  StepOp step = findStep();
  int64_t microBatches = 0;
  for (auto [segment, microBatch] : getRuns(Extent::All)) {
    microBatches = std::max(microBatches, microBatch + 1);
    for (auto input : segment.getBody().getOps<InputOp>()) {
      ArrayRef<int64_t> shape = input.getType().getShape();
      if (microSequences && (shape[0] != microSequences || shape[1] != length))
        return input.emitOpError("expected all inputs to be [")
               << microSequences << ", " << length << "], but got [" << shape[0]
               << ", " << shape[1] << "]";
      microSequences = shape[0];
      length = shape[1];
    }
  }
  sequences = microSequences * microBatches;
  vocabulary = getSmallestVocabulary(step);
  std::optional<ModelAttr> model = step.getModel();
  if (!model)
    return success();
  vocabulary = std::min(vocabulary, model->getVocabSize());
  if (sequences && model->getGlobalBatch() != sequences)
    return step.emitOpError("expected its micro-batches to hold the global "
                            "batch of ")
           << model->getGlobalBatch() << " sequences, but they hold "
           << sequences;
  return success();
}

NamedTensors StepInterpreter::getGradients() const {
  NamedTensors gradients;
  for (auto slot : findStep().getBody().getOps<SlotOp>()) {
    auto found = slots.find({slot.getSymName().str(), 0});
    if (slot.getParameter() && slot.getAccumulate() && found != slots.end())
      gradients[slot.getParameter()->str()] = found->second;
  }
  return gradients;
}

/// The parameter or state `name`, which the verifier found.
TensorValue *StepInterpreter::findSymbol(StringRef name) {
  auto parameter = parameters.find(name.str());
  if (parameter != parameters.end())
    return &parameter->second;
  auto state = states.find(name.str());
  return state == states.end() ? nullptr : &state->second;
}

/// The instance of slot `name` for this micro-batch, or an error on `op` where
/// nothing has been written to it.
TensorValue *StepInterpreter::findSlot(Operation *op, StringRef name) {
  auto slot = SymbolTable(findStep()).lookup<SlotOp>(name);
  int64_t instance = slot.getAccumulate() ? 0 : microBatch;
  auto found = slots.find({name.str(), instance});
  if (found != slots.end())
    return &found->second;
  op->emitOpError("expected slot @")
      << name << " to be written for micro-batch " << microBatch << " before";
  return nullptr;
}

/// This micro-batch's rows of the global batch.
TensorValue StepInterpreter::readInput(RankedTensorType type, bool targets) {
  const std::vector<int64_t> &data =
      targets ? input->batch.targets : input->batch.tokens;
  TensorValue value(type);
  std::copy_n(data.begin() + microBatch * value.size(), value.size(),
              value.integers.begin());
  return value;
}

void StepInterpreter::readScalar(Operation *op, Environment &env) {
  auto scalar = cast<RuntimeScalarOp>(op);
  TensorValue &value = env.define(scalar.getResult());
  const Hyperparameters &hyper = input->hyper;
  switch (scalar.getScalar()) {
  case RuntimeScalarKind::LearningRate:
    value[0] = hyper.learningRate;
    break;
  case RuntimeScalarKind::Beta1:
    value[0] = hyper.beta1;
    break;
  case RuntimeScalarKind::Beta2:
    value[0] = hyper.beta2;
    break;
  case RuntimeScalarKind::Epsilon:
    value[0] = hyper.epsilon;
    break;
  case RuntimeScalarKind::WeightDecay:
    value[0] = hyper.weightDecay;
    break;
  case RuntimeScalarKind::Momentum:
    value[0] = hyper.momentum;
    break;
  case RuntimeScalarKind::MaxGradNorm:
    value[0] = hyper.maxGradNorm;
    break;
  case RuntimeScalarKind::StepNumber:
    value.integers[0] = input->step;
    break;
  case RuntimeScalarKind::StepSeed:
    value.integers[0] = nlprt_mix(input->seed, input->step);
    break;
  case RuntimeScalarKind::FirstSequence:
    value.integers[0] = microBatch * microSequences;
    break;
  }
}

void StepInterpreter::accumulate(Type element, TensorValue &sum,
                                 const TensorValue &value) {
  bool rounds =
      rounding == Rounding::All ||
      (rounding == Rounding::Narrow && element.getIntOrFloatBitWidth() <= 16);
  for (int64_t i = 0; i < sum.size(); ++i) {
    sum[i] += value[i];
    if (rounds)
      sum[i] = roundTo(element, sum[i]);
  }
}

LogicalResult StepInterpreter::runOp(Operation *op, Environment &env) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReadOp op) {
        env.define(op.getResult()) = *findSymbol(op.getSymbol());
        return success();
      })
      .Case([&](AssignOp op) {
        if (extent == Extent::All)
          *findSymbol(op.getSymbol()) = env[op.getValue()];
        return success();
      })
      .Case([&](InputOp op) {
        env.define(op.getResult()) =
            readInput(op.getType(), op.getRole() == InputRole::Targets);
        return success();
      })
      .Case([&](RuntimeScalarOp op) {
        readScalar(op, env);
        return success();
      })
      .Case([&](ReportOp op) {
        auto &figure = op.getFigure() == ReportKind::Loss ? figures.loss
                                                          : figures.gradNorm;
        // An evaluation reports its share of each micro-batch.
        bool adds = extent == Extent::Evaluation && figure;
        figure = env[op.getValue()][0] + (adds ? *figure : 0.0);
        return success();
      })
      .Case([&](SlotLoadOp op) {
        TensorValue *slot = findSlot(op, op.getSlot());
        if (slot)
          env.define(op.getResult()) = *slot;
        return success(slot != nullptr);
      })
      .Case([&](SlotStoreOp op) {
        slots[{op.getSlot().str(), microBatch}] = env[op.getValue()];
        return success();
      })
      .Case([&](SlotAccumulateOp op) {
        TensorValue *slot = findSlot(op, op.getSlot());
        if (slot)
          accumulate(getElementTypeOrSelf(op.getValue().getType()), *slot,
                     env[op.getValue()]);
        return success(slot != nullptr);
      })
      .Case([](TurnOp) { return success(); })
      .Default([&](Operation *op) { return evaluate(op, env, rounding); });
}

/// Where the part of a segment ends that the loss needs: the backward pass runs
/// to the last addition to anything but a gradient, if there is one, since a
/// loss in chunks is computed there.
static Block::iterator findLossEnd(SegmentOp segment) {
  Block &block = segment.getBody().front();
  bool isBackward = segment.getKind() == SegmentKind::Backward ||
                    segment.getKind() == SegmentKind::WeightGradient;
  Block::iterator end = isBackward ? block.begin() : block.end();
  for (Operation &op : block) {
    if (isa<TurnOp>(op)) {
      isBackward = true;
      end = op.getIterator();
    }
    auto add = dyn_cast<SlotAccumulateOp>(op);
    if (!add || !isBackward)
      continue;
    auto slot = SymbolTable::lookupNearestSymbolFrom<SlotOp>(segment,
                                                             add.getSlotAttr());
    if (!slot.getParameter())
      end = std::next(op.getIterator());
  }
  return end;
}

LogicalResult StepInterpreter::runSegment(SegmentOp segment) {
  Environment env;
  Block &block = segment.getBody().front();
  Block::iterator end =
      extent == Extent::LossOnly ? findLossEnd(segment) : block.end();
  for (Operation &op : llvm::make_range(block.begin(), end))
    if (failed(runOp(&op, env)))
      return failure();
  return success();
}

LogicalResult StepInterpreter::runStep(const StepInput &stepInput,
                                       Extent stepExtent) {
  assert(stepInput.batch.sequences == sequences &&
         stepInput.batch.length == length && "a batch of the step's size");
  input = &stepInput;
  extent = stepExtent;
  figures = {};
  slots.clear();
  StepOp step = findStep();
  for (auto slot : step.getBody().getOps<SlotOp>())
    if (slot.getAccumulate())
      slots[{slot.getSymName().str(), 0}] =
          TensorValue(cast<RankedTensorType>(slot.getType()));
  for (auto [segment, instance] : getRuns(extent)) {
    microBatch = instance;
    if (failed(runSegment(segment)))
      return failure();
  }
  return success();
}

FailureOr<Figures> StepInterpreter::run(const StepInput &stepInput) {
  if (failed(runStep(stepInput, Extent::All)))
    return failure();
  return figures;
}

FailureOr<double> StepInterpreter::getLoss(const StepInput &stepInput,
                                           Extent stepExtent) {
  if (failed(runStep(stepInput, stepExtent)))
    return failure();
  if (!figures.loss)
    return findStep().emitOpError("expected a step that reports its loss");
  return *figures.loss;
}

FailureOr<double> StepInterpreter::computeLoss(const StepInput &stepInput) {
  return getLoss(stepInput, Extent::LossOnly);
}

FailureOr<double>
StepInterpreter::computeEvaluationLoss(const StepInput &stepInput) {
  return getLoss(stepInput, Extent::Evaluation);
}
