//===- AddOptimizer.cpp - Fill the update segment -------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gradients are loaded once and serve the norm and the update. Moments are f32
// whatever the parameter's type is.
//
//===----------------------------------------------------------------------===//

#include "StepRewrite.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_ADDOPTIMIZER
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct AddOptimizer : nlp::impl::AddOptimizerBase<AddOptimizer> {
  using AddOptimizerBase::AddOptimizerBase;

  void runOnOperation() override;
};

/// A parameter and its gradient, as loaded in the update segment.
struct Trained {
  ParameterOp parameter;
  Value gradient;
};

/// Builds the body of an update segment.
class UpdateBuilder {
public:
  /// States are declared through `declare`.
  UpdateBuilder(SegmentOp update, OpBuilder &declare)
      : declare(declare),
        builder(update.getLoc(), OpBuilder::atBlockEnd(&getOps(update))) {}

  /// Loads the gradients that the slots of `step` hold.
  LogicalResult loadGradients(StepOp step, const SymbolTable &symbols);
  /// Computes and reports the norm; with `clip`, its factor scales updates.
  void buildNorm(bool clip);
  void buildAdamW();
  void buildSGD();

private:
  Value getScalar(RuntimeScalarKind kind);
  Value getDecay(ParameterOp parameter);
  Value readMoment(StringRef prefix, ParameterOp parameter);
  Value read(StringRef name, Type type);
  void assign(StringRef name, Value value);

  OpBuilder &declare;
  ImplicitLocOpBuilder builder;
  SmallVector<Trained> trained;
  llvm::SmallDenseMap<RuntimeScalarKind, Value> scalars;
  Value factor;
};
} // namespace

static std::string join(StringRef prefix, ParameterOp parameter) {
  return (prefix + "." + parameter.getSymName()).str();
}

/// The scalar that the training loop supplies, read once for all parameters.
Value UpdateBuilder::getScalar(RuntimeScalarKind kind) {
  Value &scalar = scalars[kind];
  if (!scalar) {
    Type element = kind == RuntimeScalarKind::StepNumber
                       ? Type(builder.getI64Type())
                       : Type(builder.getF64Type());
    scalar = RuntimeScalarOp::create(builder,
                                     RankedTensorType::get({}, element), kind);
  }
  return scalar;
}

Value UpdateBuilder::getDecay(ParameterOp parameter) {
  return parameter.getDecay() ? getScalar(RuntimeScalarKind::WeightDecay)
                              : Value();
}

Value UpdateBuilder::read(StringRef name, Type type) {
  return ReadOp::create(builder, type, name);
}

void UpdateBuilder::assign(StringRef name, Value value) {
  AssignOp::create(builder, name, value);
}

/// Declares a moment of `parameter` and reads it.
Value UpdateBuilder::readMoment(StringRef prefix, ParameterOp parameter) {
  auto type = cast<RankedTensorType>(parameter.getType())
                  .clone(Float32Type::get(builder.getContext()));
  std::string name = join(prefix, parameter);
  StateOp::create(declare, parameter.getLoc(), name, StringAttr(), type,
                  StateKind::Moment, FlatSymbolRefAttr::get(parameter),
                  ShardingAttr());
  return read(name, type);
}

LogicalResult UpdateBuilder::loadGradients(StepOp step,
                                           const SymbolTable &symbols) {
  for (auto slot : step.getBody().front().getOps<SlotOp>()) {
    if (!slot.getParameter())
      continue;
    auto parameter = symbols.lookup<ParameterOp>(*slot.getParameter());
    if (!parameter)
      return slot.emitOpError("expected a parameter of this module, but got @")
             << *slot.getParameter();
    for (StringRef prefix : {"m", "v"})
      if (Operation *taken = symbols.lookup(join(prefix, parameter)))
        return taken->emitOpError("has the name of a moment of @")
               << parameter.getSymName();
    builder.setLoc(
        NameLoc::get(parameter.getSymNameAttr(), parameter.getLoc()));
    trained.push_back({parameter, SlotLoadOp::create(builder, slot.getType(),
                                                     slot.getSymName())});
  }
  if (trained.empty())
    return step.emitOpError("expected slots that hold gradients");
  return success();
}

void UpdateBuilder::buildNorm(bool clip) {
  SmallVector<Value> squareSums;
  for (auto [parameter, gradient] : trained)
    squareSums.push_back(
        SquareSumOp::create(builder, gradient.getLoc(), gradient, nullptr));
  builder.setLoc(builder.getUnknownLoc());
  auto clipping = ClipFactorOp::create(
      builder, getScalar(RuntimeScalarKind::MaxGradNorm), squareSums, nullptr);
  ReportOp::create(builder, ReportKind::GradNorm, clipping.getNorm());
  if (clip)
    factor = clipping.getFactor();
}

void UpdateBuilder::buildAdamW() {
  Value learningRate = getScalar(RuntimeScalarKind::LearningRate);
  Value beta1 = getScalar(RuntimeScalarKind::Beta1);
  Value beta2 = getScalar(RuntimeScalarKind::Beta2);
  Value epsilon = getScalar(RuntimeScalarKind::Epsilon);
  Value stepNumber = getScalar(RuntimeScalarKind::StepNumber);
  for (auto [parameter, gradient] : trained) {
    builder.setLoc(gradient.getLoc());
    Value value = read(parameter.getSymName(), parameter.getType());
    Value first = readMoment("m", parameter);
    Value second = readMoment("v", parameter);
    Value decay = getDecay(parameter);
    auto update = AdamWOp::create(builder, value, gradient, first, second,
                                  factor, learningRate, beta1, beta2, epsilon,
                                  decay, stepNumber, nullptr);
    assign(parameter.getSymName(), update.getNewParameter());
    assign(join("m", parameter), update.getNewFirstMoment());
    assign(join("v", parameter), update.getNewSecondMoment());
  }
}

void UpdateBuilder::buildSGD() {
  Value learningRate = getScalar(RuntimeScalarKind::LearningRate);
  Value momentum = getScalar(RuntimeScalarKind::Momentum);
  for (auto [parameter, gradient] : trained) {
    builder.setLoc(gradient.getLoc());
    Value value = read(parameter.getSymName(), parameter.getType());
    Value velocity = readMoment("m", parameter);
    Value decay = getDecay(parameter);
    auto update = SGDOp::create(builder, value, gradient, velocity, factor,
                                learningRate, momentum, decay, nullptr);
    assign(parameter.getSymName(), update.getNewParameter());
    assign(join("m", parameter), update.getNewVelocity());
  }
}

/// Forward and backward of one micro-batch, then the update.
static ArrayAttr getSchedule(SegmentOp forwardBackward, SegmentOp update) {
  auto getRun = [](SegmentOp segment) -> Attribute {
    return RunAttr::get(segment.getContext(), FlatSymbolRefAttr::get(segment),
                        0);
  };
  return ArrayAttr::get(update.getContext(),
                        {getRun(forwardBackward), getRun(update)});
}

void AddOptimizer::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  // States are declared in a module of their own until the rewrite succeeded.
  OwningOpRef<ModuleOp> states(ModuleOp::create(module.getLoc()));
  OpBuilder declare = OpBuilder::atBlockEnd(states->getBody());
  if (failed(rewriteStep(module, [&](StepOp step) -> LogicalResult {
        if (step.getSchedule())
          return step.emitOpError("expected a step without a schedule, as "
                                  "nlp-autodiff leaves it");
        FailureOr<SegmentOp> joint =
            getOnlySegment(step, SegmentKind::ForwardBackward);
        if (failed(joint))
          return failure();
        FailureOr<SegmentOp> update = getOnlySegment(step, SegmentKind::Update);
        if (failed(update))
          return failure();
        UpdateBuilder builder(*update, declare);
        if (failed(builder.loadGradients(step, symbols)))
          return failure();
        builder.buildNorm(clip);
        if (optimizer == OptimizerKind::AdamW)
          builder.buildAdamW();
        else
          builder.buildSGD();
        step.setScheduleAttr(getSchedule(*joint, *update));
        return success();
      })))
    return signalPassFailure();
  for (StepOp step : module.getOps<StepOp>())
    module.getBody()->getOperations().splice(
        Block::iterator(step), states->getBody()->getOperations());
}
