//===- PlanPass.cpp - Decide, write attributes, change nothing else -------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the options fix is written down; what they leave open gets the plan that
// changes nothing: one device, one micro-batch, everything kept. Whether the
// result fits a budget is told by the arena, which later phases plan.
//
//===----------------------------------------------------------------------===//

#include "nlp/Analysis/GradientUpdates.h"
#include "nlp/Planner/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_PLAN
#include "nlp/Planner/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct Plan : nlp::impl::PlanBase<Plan> {
  using PlanBase::PlanBase;

  void runOnOperation() override;

private:
  FailureOr<PlanAttr> decide(StepOp step);
  FailureOr<ScheduleAttr> parseSchedule(StepOp step);
};
} // namespace

/// `gpipe`, `1f1b`, `interleaved:V`, `zb-h1`, `zb-h2`; empty: none.
FailureOr<ScheduleAttr> Plan::parseSchedule(StepOp step) {
  auto [name, chunksText] = StringRef(schedule).split(':');
  std::optional<ScheduleKind> kind =
      llvm::StringSwitch<std::optional<ScheduleKind>>(name)
          .Cases({"", "none"}, ScheduleKind::None)
          .Case("gpipe", ScheduleKind::GPipe)
          .Case("1f1b", ScheduleKind::OneFOneB)
          .Case("interleaved", ScheduleKind::Interleaved)
          .Case("zb-h1", ScheduleKind::ZBH1)
          .Case("zb-h2", ScheduleKind::ZBH2)
          .Default(std::nullopt);
  int64_t chunks = 1;
  if (!kind || (!chunksText.empty() && chunksText.getAsInteger(10, chunks)))
    return step.emitOpError("expected a schedule gpipe, 1f1b, interleaved:V, "
                            "zb-h1 or zb-h2, but got '")
               << schedule << "'",
           failure();
  auto attr =
      ScheduleAttr::getChecked(step.getLoc(), step.getContext(), *kind, chunks);
  if (!attr)
    return failure();
  return attr;
}

FailureOr<PlanAttr> Plan::decide(StepOp step) {
  MLIRContext *context = step.getContext();
  FailureOr<ScheduleAttr> order = parseSchedule(step);
  std::optional<Numerics> level = symbolizeNumerics(numerics);
  if (failed(order))
    return failure();
  if (!level)
    return step.emitOpError("expected numerics exact, mixed or aggressive, but "
                            "got '")
               << numerics << "'",
           failure();
  auto orOne = [](int64_t size) { return size == 0 ? 1 : size; };
  auto mesh = MeshAttr::getChecked(step.getLoc(), context, orOne(dp), orOne(tp),
                                   orOne(pp), orOne(cp), orOne(ep));
  if (!mesh)
    return failure();
  int64_t batch = step.getModel()->getGlobalBatch();
  int64_t size =
      microBatch == 0 ? std::max<int64_t>(1, batch / mesh.getDp()) : microBatch;
  if (size < 1 || batch % mesh.getDp() != 0 || batch / mesh.getDp() % size != 0)
    return step.emitOpError("expected a micro-batch that divides the global "
                            "batch of ")
               << batch << " sequences on " << mesh.getDp()
               << " data-parallel ranks, but got " << size,
           failure();
  bool isWhole = mesh == MeshAttr::get(context, 1, 1, 1, 1, 1) && size == batch;
  auto plan = PlanAttr::getChecked(
      step.getLoc(), context, mesh, int64_t(zero), bool(sequenceParallel), size,
      orOne(lossChunks), *order, *level, int64_t(memoryBudget),
      updateInBackward && isWhole && !findGradientUpdates(step).empty(),
      ArrayRef<int64_t>(stageLayers));
  if (!plan)
    return failure();
  return plan;
}

void Plan::runOnOperation() {
  auto steps = llvm::to_vector(getOperation().getOps<StepOp>());
  if (steps.size() != 1 || !steps.front().getModel()) {
    getOperation().emitError("expected one nlp.step with a model attribute");
    return signalPassFailure();
  }
  FailureOr<PlanAttr> plan = decide(steps.front());
  if (failed(plan))
    return signalPassFailure();
  steps.front().setPlanAttr(*plan);
}
