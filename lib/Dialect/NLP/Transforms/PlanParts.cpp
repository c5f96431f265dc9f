//===- PlanParts.cpp - Read, change and erase parts of the plan -----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanParts.h"

using namespace mlir;
using namespace nlp;

PlanFields::PlanFields(PlanAttr plan)
    : mesh(plan.getMesh()), zero(plan.getZero()),
      sequenceParallel(plan.getSequenceParallel()),
      microBatch(plan.getMicroBatch()), lossChunks(plan.getLossChunks()),
      schedule(plan.getSchedule()), numerics(plan.getNumerics()),
      budget(plan.getBudget()), updateInBackward(plan.getUpdateInBackward()),
      stageLayers(plan.getStageLayers()) {}

PlanAttr PlanFields::get() const {
  return PlanAttr::get(mesh.getContext(), mesh, zero, sequenceParallel,
                       microBatch, lossChunks, schedule, numerics, budget,
                       updateInBackward, stageLayers);
}

OpPlanFields::OpPlanFields(OpPlanAttr plan)
    : storage(plan.getStorage()), precision(plan.getPrecision()),
      shardings(plan.getShardings()), stage(plan.getStage()) {}

OpPlanAttr OpPlanFields::get(MLIRContext *context) const {
  bool keepsAll = llvm::all_of(
      storage, [](StorageKind kind) { return kind == StorageKind::Keep; });
  if (keepsAll && !precision && shardings.empty() && stage == 0)
    return {};
  return OpPlanAttr::get(context, keepsAll ? ArrayRef<StorageKind>() : storage,
                         precision, shardings, stage);
}

FailureOr<std::optional<int64_t>> nlp::getInputBatch(StepOp step) {
  std::optional<int64_t> batch;
  WalkResult walk = step.walk([&](InputOp input) {
    int64_t size = input.getResult().getType().getDimSize(0);
    if (batch && *batch != size) {
      input.emitOpError("expected ")
          << *batch << " sequences as in other inputs, but got " << size;
      return WalkResult::interrupt();
    }
    batch = size;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return batch;
}

bool nlp::isCarriedOut(StepOp step, PlanAttr plan) {
  int64_t batch = plan.getMicroBatch();
  step.walk([&](InputOp input) {
    batch = input.getResult().getType().getDimSize(0);
  });
  PlanFields fields(plan);
  fields.budget = 0;
  return fields.get() == getTrivialPlan(plan.getContext(), batch);
}

void nlp::updatePlan(StepOp step, function_ref<void(PlanFields &)> update) {
  PlanAttr plan = step.getPlanAttr();
  if (!plan)
    return;
  PlanFields fields(plan);
  update(fields);
  plan = fields.get();
  if (plan.getBudget() == 0 && isCarriedOut(step, plan))
    step.removePlanAttr();
  else
    step.setPlanAttr(plan);
}

void nlp::updateOpPlan(PlannedOpInterface op,
                       function_ref<void(OpPlanFields &)> update) {
  OpPlanAttr plan = op.getOpPlan();
  if (!plan)
    return;
  OpPlanFields fields(plan);
  update(fields);
  op.setOpPlan(fields.get(plan.getContext()));
}

LogicalResult nlp::checkOpPlans(
    StepOp step,
    function_ref<LogicalResult(PlannedOpInterface, OpPlanAttr)> check) {
  WalkResult walk = step.walk([&](PlannedOpInterface op) {
    OpPlanAttr plan = op.getOpPlan();
    return WalkResult(plan ? check(op, plan) : success());
  });
  return failure(walk.wasInterrupted());
}
