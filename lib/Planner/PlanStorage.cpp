//===- PlanStorage.cpp - Choose what to keep and what to recompute --------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the forward and backward pass as numbers, has them solved, checks the
// answer by a replay that shares nothing with the solver, and writes it down.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Remarks.h"
#include "nlp/Analysis/StepTime.h"
#include "nlp/Machine/Machine.h"
#include "nlp/Planner/Passes.h"
#include "nlp/Planner/StorageProblem.h"

namespace nlp {
#define GEN_PASS_DEF_PLANSTORAGE
#include "nlp/Planner/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct PlanStorage : nlp::impl::PlanStorageBase<PlanStorage> {
  using PlanStorageBase::PlanStorageBase;

  void runOnOperation() override;
};
} // namespace

/// One remark for each op that is computed again.
static void remarkDecisions(SegmentOp segment, const StorageProblem &problem) {
  for (auto [op, numbered] :
       llvm::zip_equal(problem.ops, problem.program.ops)) {
    auto planned = dyn_cast<PlannedOpInterface>(op);
    OpPlanAttr plan = planned ? planned.getOpPlan() : OpPlanAttr();
    if (!plan)
      continue;
    int64_t bytes = 0;
    for (auto [kind, output] : llvm::zip(plan.getStorage(), numbered.outputs))
      if (kind == StorageKind::Recompute)
        bytes += problem.program.values[output].bytes;
    if (llvm::is_contained(plan.getStorage(), StorageKind::Recompute))
      remark::passed(
          op->getLoc(),
          remark::RemarkOpts::name("Recomputed").category("nlp-memory"))
          << remark::metric("BytesFreed", bytes)
          << remark::metric("Nanoseconds",
                            static_cast<int64_t>(numbered.seconds * 1e9));
  }
}

static LogicalResult planStorage(StepOp step, const Machine &machine,
                                 int64_t budgetBytes) {
  StorageProblem problem = buildStorageProblem(step, machine);
  if (problem.ops.empty())
    return success();
  auto segment = problem.ops.front()->getParentOfType<SegmentOp>();
  solver::RecomputeSolution solution =
      solver::solveRecompute(problem.program, budgetBytes);
  if (!solution.feasible)
    return step.emitOpError("expected a budget of at least ")
           << solution.peakBytes << " bytes, but got " << budgetBytes;
  if (std::optional<std::string> message = solution.verify(problem.program))
    return step.emitOpError("has a plan that is wrong: ") << *message;
  writeStoragePlan(segment, problem, solution.schedule);
  remarkDecisions(segment, problem);
  return success();
}

void PlanStorage::runOnOperation() {
  if (memoryBudget == 0)
    return;
  llvm::Expected<Machine> device = loadMachine(machine);
  if (!device) {
    getOperation().emitError(llvm::toString(device.takeError()));
    return signalPassFailure();
  }
  for (auto step : getOperation().getOps<StepOp>())
    if (failed(planStorage(step, *device, memoryBudget - reserve)))
      return signalPassFailure();
}
