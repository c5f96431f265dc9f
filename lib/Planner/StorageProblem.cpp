//===- StorageProblem.cpp - Keep or recompute, as numbers -----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One value of the program for each tensor that has bytes. The training loop
// writes the inputs before the segment begins: its first op makes them, and may
// not run again. What the lowering
// places for good is placed here as well: a gradient that an op computes right
// into its slot stays to the end of the step, or to where the plan updates its
// parameter in the backward pass; further parts of it take nothing,
// and parts that are joined along leading dimensions are made in the whole.
//
//===----------------------------------------------------------------------===//

#include "nlp/Planner/StorageProblem.h"
#include "mlir/IR/BuiltinOps.h"
#include "nlp/Analysis/GradientUpdates.h"
#include "nlp/Analysis/StepTime.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/IR/Schedule.h"
#include "nlp/Dialect/NLP/IR/Storage.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nlp;

/// Offsets in the arena are multiples of this.
static constexpr int64_t alignmentBytes = 64;

static int64_t alignBytes(int64_t bytes) {
  return static_cast<int64_t>(llvm::alignTo(bytes, alignmentBytes));
}

static int64_t getBytes(Value value) {
  return alignBytes(getTensorBytes(value.getType()));
}

namespace {
/// Numbers the values of a segment and the ops that use them.
class ProblemBuilder {
public:
  ProblemBuilder(StepOp step, const Machine &machine,
                 ArrayRef<int64_t> workspaceBytes);

  StorageProblem build(SegmentOp segment);

private:
  void addOp(Operation &op);
  int32_t addValue(Value value, int64_t bytes);
  void addInputs(SegmentOp segment);
  void addSource(Operation &op);
  void accumulate(SlotAccumulateOp op);
  void join(Operation &op);
  void endGradients();

  StepOp step;
  const Machine &machine;
  ArrayRef<int64_t> workspaceBytes;
  bool hasOneMicroBatch;
  StorageProblem problem;
  DenseMap<Value, int32_t> numbers;
  /// What the first op makes: the inputs by their role, and a value without
  /// bytes that keeps other ops behind it.
  llvm::MapVector<Attribute, int32_t> inputs;
  int32_t begin = -1;
  llvm::DenseSet<StringAttr> filledSlots;
  /// Of slots of gradients: where the update follows in the backward pass.
  DenseMap<StringAttr, Operation *> updatePlaces;
  /// Gradients by the op behind which their update follows.
  DenseMap<Operation *, SmallVector<int32_t, 1>> endingGradients;
  bool isBackward = false;
};
} // namespace

int32_t ProblemBuilder::addValue(Value value, int64_t bytes) {
  auto number = static_cast<int32_t>(problem.program.values.size());
  problem.program.values.push_back({bytes, std::nullopt});
  numbers[value] = number;
  return number;
}

ProblemBuilder::ProblemBuilder(StepOp step, const Machine &machine,
                               ArrayRef<int64_t> workspaceBytes)
    : step(step), machine(machine), workspaceBytes(workspaceBytes),
      hasOneMicroBatch(countMicroBatches(step) == 1) {
  if (step.getPlan() && step.getPlan()->getUpdateInBackward())
    for (GradientUpdate &update : findGradientUpdates(step))
      updatePlaces[update.gradient.getSymNameAttr()] = update.behind;
}

/// Bytes of what no op of the segment makes.
static int64_t getResidentBytes(StepOp step, bool hasOneMicroBatch) {
  int64_t bytes = 0;
  auto add = [&](Type type) { bytes += alignBytes(getTensorBytes(type)); };
  auto module = step->getParentOfType<ModuleOp>();
  for (auto parameter : module.getOps<ParameterOp>())
    add(parameter.getType());
  for (auto state : module.getOps<StateOp>())
    add(state.getType());
  if (!hasOneMicroBatch)
    for (auto slot : step.getBody().front().getOps<SlotOp>())
      if (slot.getAccumulate())
        add(slot.getType());
  // What the training loop writes and reads of a step: each number once.
  llvm::DenseSet<std::pair<unsigned, unsigned>> numbers;
  step.walk([&](Operation *op) {
    if (auto scalar = dyn_cast<RuntimeScalarOp>(op);
        scalar &&
        numbers.insert({0, static_cast<unsigned>(scalar.getScalar())}).second)
      add(scalar.getType());
    if (auto report = dyn_cast<ReportOp>(op);
        report &&
        numbers.insert({1, static_cast<unsigned>(report.getFigure())}).second)
      add(report.getValue().getType());
  });
  return bytes;
}

/// Each input once, however often it is read.
void ProblemBuilder::addInputs(SegmentOp segment) {
  for (auto input : segment.getBody().front().getOps<InputOp>()) {
    auto [it, isNew] =
        inputs.try_emplace(input->getPropertiesAsAttribute(), -1);
    if (isNew)
      it->second = addValue(input.getResult(), getBytes(input.getResult()));
    numbers[input.getResult()] = it->second;
  }
  begin = static_cast<int32_t>(problem.program.values.size());
  problem.program.values.emplace_back();
}

/// Parameters and states are counted together, and inputs elsewhere.
void ProblemBuilder::addSource(Operation &op) {
  if (!isa<InputOp>(op))
    for (Value result : op.getResults())
      addValue(result, 0);
}

void ProblemBuilder::accumulate(SlotAccumulateOp op) {
  int32_t number = numbers.lookup(op.getValue());
  bool isFirst = filledSlots.insert(op.getSlotAttr().getAttr()).second;
  Operation *place = updatePlaces.lookup(op.getSlotAttr().getAttr());
  if (isFirst && place)
    endingGradients[place].push_back(number);
  else if (isFirst && hasOneMicroBatch)
    problem.program.results.push_back(number);
  else if (mayAddInPlace(dyn_cast<OpResult>(op.getValue())))
    problem.program.values[number].bytes = 0;
}

/// Parts that are computed inside of the whole take its bytes over.
void ProblemBuilder::join(Operation &op) {
  std::vector<solver::ProgramValue> &values = problem.program.values;
  SmallVector<int32_t> parts;
  for (Value part : op.getOperands())
    if (auto result = dyn_cast<OpResult>(part); result && getJoin(result)) {
      parts.push_back(numbers.lookup(part));
      while (values[parts.back()].aliasOf)
        parts.back() = *values[parts.back()].aliasOf;
    }
  if (parts.empty())
    return;
  // Values are numbered as they are made: the first one brings the bytes.
  int32_t first = *llvm::min_element(parts);
  for (int32_t part : parts)
    if (part != first)
      values[part] = {0, first};
  values[first].bytes = getBytes(op.getResult(0));
  values[numbers.lookup(op.getResult(0))] = {0, first};
  if (parts.size() == op.getNumOperands())
    problem.program.ops.back().seconds = 0;
}

void ProblemBuilder::addOp(Operation &op) {
  solver::ProgramOp &numbered = problem.program.ops.emplace_back();
  problem.ops.push_back(&op);
  numbered.canRepeat = false;
  if (isa<TurnOp>(op)) {
    isBackward = true;
    return;
  }
  if (isa<ReadOp, InputOp, RuntimeScalarOp, SlotLoadOp>(op))
    return addSource(op);
  numbered.seconds = getOpSeconds(&op, machine);
  if (!workspaceBytes.empty())
    numbered.workspaceBytes =
        alignBytes(workspaceBytes[problem.ops.size() - 1]);
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  numbered.canRepeat = !isBackward && recompute &&
                       recompute.getRecomputeKind() != RecomputeKind::Never;
  for (Value operand : op.getOperands())
    numbered.inputs.push_back(numbers.lookup(operand));
  if (problem.ops.size() > 1)
    numbered.inputs.push_back(begin);
  for (OpResult result : op.getResults()) {
    // Nothing has bytes that nobody reads.
    int32_t number = addValue(result, getBytes(result));
    numbered.outputs.push_back(number);
    if (isView(&op)) {
      problem.program.values[number] = {0, numbered.inputs.front()};
      continue;
    }
    for (OpOperand &operand : op.getOpOperands())
      if (mayOverwrite(result, operand))
        numbered.inPlace.push_back(
            {static_cast<int32_t>(result.getResultNumber()),
             static_cast<int32_t>(operand.getOperandNumber())});
  }
  if (op.getNumResults() == 1)
    join(op);
  if (auto add = dyn_cast<SlotAccumulateOp>(op))
    accumulate(add);
}

/// An update follows an op as if the op read the gradient: the parameter is not
/// free to change before.
void ProblemBuilder::endGradients() {
  for (auto [op, numbered] : llvm::zip_equal(problem.ops, problem.program.ops))
    if (auto it = endingGradients.find(op); it != endingGradients.end())
      for (int32_t gradient : it->second)
        if (!llvm::is_contained(numbered.inputs, gradient))
          numbered.inputs.push_back(gradient);
}

StorageProblem ProblemBuilder::build(SegmentOp segment) {
  problem.program.values.push_back(
      {getResidentBytes(step, hasOneMicroBatch), std::nullopt});
  addInputs(segment);
  for (Operation &op : segment.getBody().front()) {
    if (isa<TurnOp>(op))
      problem.program.firstFixed =
          static_cast<int32_t>(problem.program.ops.size());
    addOp(op);
  }
  endGradients();
  if (problem.ops.empty())
    return {};
  solver::ProgramOp &first = problem.program.ops.front();
  first.canRepeat = false;
  for (auto [role, number] : inputs)
    first.outputs.push_back(number);
  first.outputs.push_back(begin);
  return std::move(problem);
}

SegmentOp nlp::getPassesSegment(StepOp step) {
  SegmentOp passes;
  for (auto segment : step.getBody().front().getOps<SegmentOp>())
    if (segment.getKind() == SegmentKind::ForwardBackward)
      passes = segment;
  return passes;
}

StorageProblem nlp::buildStorageProblem(StepOp step, const Machine &machine,
                                        ArrayRef<int64_t> workspaceBytes) {
  SegmentOp passes = getPassesSegment(step);
  // What is updated in between is not to be read again.
  if (!passes || !passes.getBody().front().getOps<AssignOp>().empty())
    return {};
  return ProblemBuilder(step, machine, workspaceBytes).build(passes);
}
