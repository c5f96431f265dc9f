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
// into its slot stays to the end of the step, further parts of it take nothing,
// and parts that are joined along leading dimensions are made in the whole.
//
//===----------------------------------------------------------------------===//

#include "nlp/Planner/StorageProblem.h"
#include "mlir/IR/BuiltinOps.h"
#include "nlp/Analysis/StepTime.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/IR/Storage.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nlp;

/// Offsets in the arena are multiples of this.
static constexpr int64_t alignmentBytes = 64;

static int64_t getBytes(Value value) {
  return static_cast<int64_t>(
      llvm::alignTo(getTensorBytes(value.getType()), alignmentBytes));
}

namespace {
/// Numbers the values of a segment and the ops that use them.
class ProblemBuilder {
public:
  ProblemBuilder(StepOp step, const Machine &machine);

  StorageProblem build(SegmentOp segment);

private:
  void addOp(Operation &op);
  int32_t addValue(Value value, int64_t bytes);
  void addInputs(SegmentOp segment);
  void addSource(Operation &op);
  void accumulate(SlotAccumulateOp op);
  void join(ConcatOp op);

  StepOp step;
  const Machine &machine;
  bool hasOneMicroBatch;
  StorageProblem problem;
  DenseMap<Value, int32_t> numbers;
  /// What the first op makes: the inputs by their role, and a value without
  /// bytes that keeps other ops behind it.
  llvm::MapVector<Attribute, int32_t> inputs;
  int32_t begin = -1;
  llvm::DenseSet<StringAttr> filledSlots;
  bool isBackward = false;
};
} // namespace

int32_t ProblemBuilder::addValue(Value value, int64_t bytes) {
  auto number = static_cast<int32_t>(problem.program.values.size());
  problem.program.values.push_back({bytes, std::nullopt});
  numbers[value] = number;
  return number;
}

/// As many as the schedule runs; one where there is no schedule.
static size_t countMicroBatches(StepOp step) {
  if (!step.getSchedule())
    return 1;
  llvm::DenseSet<int64_t> seen;
  for (Attribute run : step.getScheduleAttr())
    seen.insert(cast<RunAttr>(run).getMicroBatch());
  return seen.size();
}

ProblemBuilder::ProblemBuilder(StepOp step, const Machine &machine)
    : step(step), machine(machine),
      hasOneMicroBatch(countMicroBatches(step) == 1) {}

/// Bytes of what no op of the segment makes.
static int64_t getResidentBytes(StepOp step, bool hasOneMicroBatch) {
  int64_t bytes = 0;
  auto add = [&](Type type) {
    bytes += llvm::alignTo(getTensorBytes(type), alignmentBytes);
  };
  auto module = step->getParentOfType<ModuleOp>();
  for (auto parameter : module.getOps<ParameterOp>())
    add(parameter.getType());
  for (auto state : module.getOps<StateOp>())
    add(state.getType());
  if (!hasOneMicroBatch)
    for (auto slot : step.getBody().front().getOps<SlotOp>())
      if (slot.getAccumulate())
        add(slot.getType());
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

/// True where the product that makes `value` can add to a slot by itself.
static bool addsByItself(Value value) {
  return value.hasOneUse() && value.getDefiningOp<LinearWeightGradOp>();
}

void ProblemBuilder::accumulate(SlotAccumulateOp op) {
  int32_t number = numbers.lookup(op.getValue());
  solver::ProgramValue &value = problem.program.values[number];
  bool isFirst = filledSlots.insert(op.getSlotAttr().getAttr()).second;
  if (isFirst && hasOneMicroBatch)
    problem.program.results.push_back(number);
  else if (addsByItself(op.getValue()))
    value.bytes = 0;
}

/// Parts that nothing else uses are made inside of the whole.
void ProblemBuilder::join(ConcatOp op) {
  auto whole = cast<RankedTensorType>(op.getResult().getType());
  bool isContiguous = llvm::all_of(whole.getShape().take_front(op.getDim()),
                                   [](int64_t size) { return size == 1; });
  if (!isContiguous || !llvm::all_of(op.getParts(), [](Value part) {
        return part.hasOneUse() && part.getDefiningOp() &&
               !isView(part.getDefiningOp());
      }))
    return;
  std::vector<solver::ProgramValue> &values = problem.program.values;
  int32_t first = numbers.lookup(op.getParts().front());
  if (values[first].aliasOf)
    return;
  values[first].bytes = getBytes(op.getResult());
  for (Value part : op.getParts().drop_front()) {
    values[numbers.lookup(part)] = {0, first};
  }
  values[numbers.lookup(op.getResult())] = {0, first};
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
  if (auto concat = dyn_cast<ConcatOp>(op))
    join(concat);
  if (auto add = dyn_cast<SlotAccumulateOp>(op))
    accumulate(add);
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
  if (problem.ops.empty())
    return {};
  solver::ProgramOp &first = problem.program.ops.front();
  first.canRepeat = false;
  for (auto [role, number] : inputs)
    first.outputs.push_back(number);
  first.outputs.push_back(begin);
  return std::move(problem);
}

StorageProblem nlp::buildStorageProblem(StepOp step, const Machine &machine) {
  SegmentOp passes;
  for (auto segment : step.getBody().front().getOps<SegmentOp>())
    if (segment.getKind() == SegmentKind::ForwardBackward)
      passes = segment;
  return passes ? ProblemBuilder(step, machine).build(passes)
                : StorageProblem();
}
