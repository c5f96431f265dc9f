//===- WriteStoragePlan.cpp - A schedule as plan attributes ---------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An order runs each op once on its own side of the turn, and again only behind
// it. A schedule knows no turn, and nothing of what gives access to parameters
// and inputs, since that takes no bytes: it comes before what reads it, and the
// turn where something runs that may not be before it. A forward op whose first
// run comes later than that is computed again there: of the op itself the apply
// pass then leaves nothing.
//
//===----------------------------------------------------------------------===//

#include "SetStorage.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Planner/StorageProblem.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nlp;

using Schedule = std::vector<solver::ScheduledOp>;

/// Puts `scheduled` behind the others; where it does not run itself, only what
/// it drops.
static void append(Schedule &schedule, const solver::ScheduledOp &scheduled,
                   bool runs) {
  if (runs)
    return schedule.push_back(scheduled);
  if (!schedule.empty())
    llvm::append_range(schedule.back().freeAfter, scheduled.freeAfter);
}

/// Drops repetitions whose results nobody reads.
static Schedule dropUnread(const solver::RecomputeProblem &program,
                           const Schedule &schedule) {
  std::vector<bool> isRead(program.values.size(), false);
  Schedule kept;
  for (const solver::ScheduledOp &scheduled : llvm::reverse(schedule)) {
    const solver::ProgramOp &op = program.ops[scheduled.op];
    if (scheduled.op < program.firstFixed &&
        llvm::none_of(op.outputs, [&](int32_t value) { return isRead[value]; }))
      continue;
    for (int32_t output : op.outputs)
      isRead[output] = false;
    for (int32_t input : op.inputs)
      isRead[input] = true;
    kept.push_back(scheduled);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

namespace {
/// Arranges a schedule as an order may say it.
class OrderBuilder {
public:
  explicit OrderBuilder(const StorageProblem &problem);

  Schedule build(ArrayRef<solver::ScheduledOp> schedule);

private:
  bool isForward(int32_t op) const { return op < program.firstFixed; }
  void addForward(int32_t op, std::vector<int32_t> freeAfter);

  const StorageProblem &problem;
  const solver::RecomputeProblem &program;
  DenseMap<Operation *, int32_t> numbers;
  std::vector<bool> isAdded;
  Schedule result;
};
} // namespace

OrderBuilder::OrderBuilder(const StorageProblem &problem)
    : problem(problem), program(problem.program),
      isAdded(problem.ops.size(), false) {
  for (auto [number, op] : llvm::enumerate(problem.ops))
    numbers[op] = static_cast<int32_t>(number);
}

/// Adds the first run of a forward op behind what it reads.
void OrderBuilder::addForward(int32_t op, std::vector<int32_t> freeAfter) {
  if (isAdded[op]) {
    append(result, {op, std::move(freeAfter)}, /*runs=*/false);
    return;
  }
  for (Value operand : problem.ops[op]->getOperands())
    if (int32_t source = numbers.at(operand.getDefiningOp()); !isAdded[source])
      addForward(source, {});
  isAdded[op] = true;
  result.push_back({op, std::move(freeAfter)});
}

Schedule OrderBuilder::build(ArrayRef<solver::ScheduledOp> schedule) {
  int32_t turn = program.firstFixed;
  if (!isa<TurnOp>(problem.ops[turn]))
    return {schedule.begin(), schedule.end()};
  size_t next = 0;
  for (; next < schedule.size(); ++next) {
    const solver::ScheduledOp &scheduled = schedule[next];
    bool isRepeated = isForward(scheduled.op) && isAdded[scheduled.op] &&
                      program.ops[scheduled.op].canRepeat;
    if (scheduled.op > turn || isRepeated)
      break;
    if (scheduled.op == turn)
      append(result, scheduled, /*runs=*/false);
    else
      addForward(scheduled.op, scheduled.freeAfter);
  }
  for (int32_t op = 0; op < turn; ++op)
    if (!isAdded[op])
      addForward(
          op, {program.ops[op].outputs.begin(), program.ops[op].outputs.end()});
  Schedule backward;
  for (const solver::ScheduledOp &scheduled : schedule.drop_front(next))
    append(backward, scheduled,
           scheduled.op > turn || program.ops[scheduled.op].canRepeat);
  result.push_back({turn, {}});
  llvm::append_range(result, dropUnread(program, backward));
  return std::move(result);
}

namespace {
/// What the schedule does with each result.
struct Instances {
  /// Whether some op behind the turn reads what was computed again.
  std::vector<bool> isRecomputed;
  std::vector<int64_t> ops, instances;
};
} // namespace

static Instances replay(const StorageProblem &problem,
                        ArrayRef<solver::ScheduledOp> schedule) {
  const solver::RecomputeProblem &program = problem.program;
  Instances result;
  result.isRecomputed.assign(program.values.size(), false);
  std::vector<int64_t> runs(program.ops.size(), 0);
  // The instance of its op that made what is live of each value.
  std::vector<int64_t> made(program.values.size(), -1);
  for (const solver::ScheduledOp &scheduled : schedule) {
    const solver::ProgramOp &op = program.ops[scheduled.op];
    int64_t instance = runs[scheduled.op]++;
    result.ops.push_back(scheduled.op);
    result.instances.push_back(instance);
    for (int32_t input : op.inputs)
      if (made[input] > 0)
        result.isRecomputed[input] = true;
    for (int32_t output : op.outputs)
      if (made[output] < 0)
        made[output] = instance;
    for (int32_t value : scheduled.freeAfter)
      made[value] = -1;
  }
  return result;
}

void nlp::writeStoragePlan(SegmentOp segment, const StorageProblem &problem,
                           ArrayRef<solver::ScheduledOp> schedule) {
  Instances instances = replay(problem, OrderBuilder(problem).build(schedule));
  for (auto [op, numbered] :
       llvm::zip_equal(problem.ops, problem.program.ops)) {
    auto planned = dyn_cast<PlannedOpInterface>(op);
    if (!planned)
      continue;
    SmallVector<StorageKind> storage;
    for (int32_t output : numbered.outputs)
      storage.push_back(instances.isRecomputed[output] ? StorageKind::Recompute
                                                       : StorageKind::Keep);
    if (!llvm::is_contained(storage, StorageKind::Recompute))
      storage.clear();
    setStorage(planned, storage);
  }
  bool isOriginal = llvm::is_sorted(instances.ops) &&
                    instances.ops.size() == problem.ops.size();
  segment.setOrderAttr(isOriginal
                           ? OrderAttr()
                           : OrderAttr::get(segment.getContext(), instances.ops,
                                            instances.instances));
}
