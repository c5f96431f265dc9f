//===- ApplyPartition.cpp - Carry out the mesh and the shardings ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device so far: shardings that name no axis are erased, everything else is
// an error.
//
//===----------------------------------------------------------------------===//

#include "PlanParts.h"
#include "StepRewrite.h"
#include "nlp/Dialect/NLP/Transforms/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_APPLYPARTITION
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct ApplyPartition : nlp::impl::ApplyPartitionBase<ApplyPartition> {
  using ApplyPartitionBase::ApplyPartitionBase;

  void runOnOperation() override;
};
} // namespace

/// True where the value is whole on every device.
static bool isWhole(ShardingAttr sharding) {
  return sharding.getPartial().empty() &&
         llvm::all_of(sharding.getDims(), [](DimShardingAttr dim) {
           return dim.getAxes().empty();
         });
}

static LogicalResult checkPlan(StepOp step) {
  PlanAttr plan = step.getPlanAttr();
  if (!plan)
    return success();
  MeshAttr mesh = plan.getMesh();
  if (mesh != MeshAttr::get(mesh.getContext(), 1, 1, 1, 1, 1))
    return step.emitOpError("plan asks for ")
           << mesh << "; more than one device is not supported yet";
  if (plan.getZero() != 0)
    return step.emitOpError("plan asks for ZeRO stage ")
           << plan.getZero() << "; more than 0 is not supported yet";
  if (plan.getSequenceParallel())
    return step.emitOpError("sequence parallelism is not supported yet");
  return success();
}

/// Fails where the parameter or state is split over devices.
template <typename OpTy> static LogicalResult checkStorage(ModuleOp module) {
  for (auto op : module.getOps<OpTy>())
    if (ShardingAttr sharding = op.getShardingAttr();
        sharding && !isWhole(sharding))
      return op.emitOpError("sharding is not supported yet, but got ")
             << sharding;
  return success();
}

static LogicalResult applyPartition(StepOp step) {
  if (failed(checkPlan(step)))
    return failure();
  if (failed(checkOpPlans(step, [](PlannedOpInterface op, OpPlanAttr plan) {
        for (ShardingAttr sharding : plan.getShardings())
          if (!isWhole(sharding))
            return LogicalResult(
                op->emitOpError("sharding is not supported yet, but got ")
                << sharding);
        if (plan.getStage() != 0)
          return LogicalResult(op->emitOpError("stage ")
                               << plan.getStage()
                               << " is not supported yet, only 0");
        return success();
      })))
    return failure();
  step.walk([](PlannedOpInterface op) {
    updateOpPlan(op, [](OpPlanFields &fields) { fields.shardings.clear(); });
  });
  updatePlan(step, [](PlanFields &fields) { fields.stageLayers.clear(); });
  return success();
}

void ApplyPartition::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(checkStorage<ParameterOp>(module)) ||
      failed(checkStorage<StateOp>(module)) ||
      failed(editStep(module, applyPartition)))
    return signalPassFailure();
  for (auto parameter : module.getOps<ParameterOp>())
    parameter.removeShardingAttr();
  for (auto state : module.getOps<StateOp>())
    state.removeShardingAttr();
}
