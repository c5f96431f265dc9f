//===- Autodiff.cpp - Add the backward pass to a forward graph ------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse mode, one sweep over the segment in each direction. Forwards: which
// values need a gradient, because a trainable parameter reaches them.
// Backwards: each op whose result has a gradient builds those of its operands.
// A value with several uses sums the contributions as they come, so that at
// most two are live.
//
//===----------------------------------------------------------------------===//

#include "StepRewrite.h"
#include "mlir/IR/TypeUtilities.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace nlp {
#define GEN_PASS_DEF_AUTODIFF
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct Autodiff : nlp::impl::AutodiffBase<Autodiff> {
  using AutodiffBase::AutodiffBase;

  void runOnOperation() override;
};

/// Appends the gradients of a segment to the segment.
class Differentiator {
public:
  Differentiator(const SymbolTable &symbols, SegmentOp segment)
      : symbols(symbols), segment(segment),
        builder(OpBuilder::atBlockEnd(&getOps(segment))) {}

  /// Builds the gradients of `loss`, and adds those of parameters to slots.
  LogicalResult run(Value loss, Location loc);

  /// The names of the parameters that got a gradient.
  const SetVector<StringAttr> &getParameters() const { return parameters; }

private:
  void findNeeded();
  LogicalResult differentiate(Operation *op);
  void addGradient(Value value, Value gradient, Location loc);

  const SymbolTable &symbols;
  SegmentOp segment;
  OpBuilder builder;
  DenseSet<Value> needed;
  DenseMap<Value, Value> gradients;
  SetVector<StringAttr> parameters;
};
} // namespace

/// The slot of a parameter's gradient.
static std::string getGradientSlot(StringRef parameter) {
  return ("grad." + parameter).str();
}

/// Collects the values that a trainable parameter reaches.
void Differentiator::findNeeded() {
  for (Operation &op : getOps(segment)) {
    bool isNeeded = false;
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto parameter = symbols.lookup<ParameterOp>(read.getSymbol());
      isNeeded = parameter && !parameter.getFrozen();
    } else {
      isNeeded = llvm::any_of(op.getOperands(), [&](Value operand) {
        return needed.contains(operand);
      });
    }
    for (Value result : op.getResults())
      if (isNeeded && isa<FloatType>(getElementTypeOrSelf(result.getType())))
        needed.insert(result);
  }
}

/// Adds `gradient` to what `value` has: to the slot of a parameter at once
/// where it is made, or to the sum of the contributions so far.
void Differentiator::addGradient(Value value, Value gradient, Location loc) {
  assert(value.getType() == gradient.getType() &&
         "a gradient has the type of its value");
  if (auto read = value.getDefiningOp<ReadOp>()) {
    parameters.insert(read.getSymbolAttr().getAttr());
    OpBuilder::InsertionGuard guard(builder);
    Operation *last = gradient.getDefiningOp();
    while (isa_and_nonnull<SlotAccumulateOp>(last->getNextNode()))
      last = last->getNextNode();
    builder.setInsertionPointAfter(last);
    SlotAccumulateOp::create(builder, loc, getGradientSlot(read.getSymbol()),
                             gradient);
    return;
  }
  Value &sum = gradients[value];
  if (sum)
    gradient = AddOp::create(builder, value.getLoc(), sum, gradient, nullptr);
  sum = gradient;
}

/// Builds the gradients of the operands of `op`, if its results have any.
LogicalResult Differentiator::differentiate(Operation *op) {
  SmallVector<Value> resultGradients;
  for (Value result : op->getResults())
    resultGradients.push_back(gradients.lookup(result));
  auto isNeeded = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    return needed.contains(operand);
  });
  if (llvm::none_of(resultGradients, [](Value g) { return bool(g); }) ||
      !llvm::is_contained(isNeeded, true))
    return success();
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  if (!differentiable)
    return op->emitOpError(
        "expected an op that has a gradient between parameters and loss");
  SmallVector<Value> operandGradients(op->getNumOperands());
  if (failed(differentiable.buildGradient(builder, resultGradients, isNeeded,
                                          operandGradients)))
    return failure();
  for (auto [operand, gradient] :
       llvm::zip_equal(op->getOperands(), operandGradients))
    if (gradient)
      addGradient(operand, gradient, op->getLoc());
  return success();
}

LogicalResult Differentiator::run(Value loss, Location loc) {
  findNeeded();
  if (!needed.contains(loss))
    return segment.emitOpError("expected a loss that depends on a trainable "
                               "parameter");
  auto forward =
      llvm::map_to_vector(getOps(segment), [](Operation &op) { return &op; });
  SlotAccumulateOp::create(builder, loc, "loss", loss);
  TurnOp::create(builder, loc);
  Value one = FillOp::create(builder, loc, loss.getType(),
                             builder.getF64FloatAttr(1.0), nullptr);
  addGradient(loss, one, loc);
  for (Operation *op : llvm::reverse(forward))
    if (failed(differentiate(op)))
      return failure();
  return success();
}

/// The loss report that ends `segment`, or an error.
static FailureOr<ReportOp> getLossReport(SegmentOp segment) {
  Block &ops = getOps(segment);
  auto report = ops.empty() ? ReportOp() : dyn_cast<ReportOp>(ops.back());
  if (!report || report.getFigure() != ReportKind::Loss ||
      !llvm::hasSingleElement(ops.getOps<ReportOp>()))
    return segment.emitOpError("expected nlp.report loss at the end, and no "
                               "other report");
  return report;
}

/// A copy of the forward `segment` in which ops are what they are in
/// evaluation.
static SegmentOp buildEvaluate(SegmentOp segment) {
  SegmentOp evaluate = segment.clone();
  evaluate.setSymName("evaluate");
  evaluate.setKind(SegmentKind::Evaluate);
  for (Operation &op : llvm::make_early_inc_range(getOps(evaluate))) {
    if (auto planned = dyn_cast<PlannedOpInterface>(op))
      planned.setOpPlan(nullptr);
    auto differs = dyn_cast<EvaluationOpInterface>(op);
    if (!differs)
      continue;
    OpBuilder builder(&op);
    SmallVector<Value> values;
    differs.buildEvaluation(builder, values);
    if (!llvm::equal(values, op.getResults()))
      op.replaceAllUsesWith(values);
  }
  eraseDeadOps(getOps(evaluate));
  return evaluate;
}

static LogicalResult differentiateStep(ModuleOp module, StepOp step) {
  Block &body = step.getBody().front();
  if (step.getSchedule() || !llvm::hasSingleElement(body))
    return step.emitOpError("expected one forward segment, and neither slots "
                            "nor a schedule");
  FailureOr<SegmentOp> forward = getOnlySegment(step, SegmentKind::Forward);
  if (failed(forward))
    return failure();
  FailureOr<ReportOp> report = getLossReport(*forward);
  if (failed(report))
    return failure();
  Value loss = report->getValue();
  Location loc = report->getLoc();
  SegmentOp evaluate = buildEvaluate(*forward);
  report->erase();

  body.push_back(evaluate);
  SymbolTable symbols(module);
  Differentiator differentiator(symbols, *forward);
  if (failed(differentiator.run(loss, loc)))
    return failure();
  forward->setSymName("forward_backward");
  forward->setKind(SegmentKind::ForwardBackward);

  OpBuilder builder(*forward);
  SlotOp::create(builder, loc, "loss", StringAttr(),
                 cast<RankedTensorType>(loss.getType()), /*accumulate=*/true,
                 FlatSymbolRefAttr());
  for (auto parameter : module.getOps<ParameterOp>())
    if (differentiator.getParameters().contains(parameter.getSymNameAttr()))
      SlotOp::create(builder, parameter.getLoc(),
                     getGradientSlot(parameter.getSymName()), StringAttr(),
                     cast<RankedTensorType>(parameter.getType()),
                     /*accumulate=*/true,
                     FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
  builder.setInsertionPoint(evaluate);
  auto update = SegmentOp::create(builder, loc, "update", StringAttr(),
                                  SegmentKind::Update, OrderAttr());
  builder.createBlock(&update.getBody());
  Value total = SlotLoadOp::create(builder, loc, loss.getType(), "loss");
  ReportOp::create(builder, loc, ReportKind::Loss, total);
  return success();
}

void Autodiff::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(rewriteStep(module, [&](StepOp step) {
        return differentiateStep(module, step);
      })))
    signalPassFailure();
}
