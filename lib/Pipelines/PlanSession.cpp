//===- PlanSession.cpp - From a model to a plan that fits ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is carried through to its packed arena, since only the arena tells
// whether it fits: clone, apply, lower, pack.
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/PlanSession.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "nlp/Analysis/StepTime.h"
#include "nlp/Dialect/NLPRT/Transforms/Passes.h"
#include "nlp/Pipelines/Pipelines.h"
#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Planner/Passes.h"
#include "nlp/Support/Units.h"

using namespace mlir;
using namespace nlp;

char MisfitError::ID = 0;

void MisfitError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code MisfitError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error nlp::checkFits(const PlanResult &result) {
  if (result.feasible)
    return llvm::Error::success();
  return llvm::make_error<MisfitError>(renderMisfit(result));
}

llvm::Error nlp::runPasses(ModuleOp module,
                           function_ref<void(OpPassManager &)> build,
                           bool verifies) {
  std::string messages;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
          return failure(); // for remark streamers and the like
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        if (!messages.empty())
          messages += "; ";
        if (StringRef place = getPlace(diagnostic.getLocation());
            !place.empty())
          messages += ("at " + place + ": ").str();
        messages += diagnostic.str();
        return success();
      });
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  // At most once behind all passes: behind each of them, as in nlp-opt, it
  // would take longer than the passes.
  pm.enableVerifier(false);
  build(pm);
  if (failed(pm.run(module)) || (verifies && failed(verify(module))))
    return makeError(messages.empty() ? "a pass failed" : messages);
  return llvm::Error::success();
}

static StepOp getStep(ModuleOp module) {
  auto steps = module.getOps<StepOp>();
  return steps.empty() ? StepOp() : *steps.begin();
}

static bool isRuntime(ModuleOp module) {
  return !module.getOps<rt::ProgramOp>().empty();
}

llvm::Error nlp::lowerToJoint(ModuleOp module, const PlanRequest &request) {
  StepOp step = getStep(module);
  if (!step || !step.getModel())
    return makeError("expected a module with one nlp.step that has a model "
                     "attribute");
  if (step.getSchedule())
    return llvm::Error::success();
  JointOptions options;
  options.optimizer = request.optimizer.value_or("adamw") == "sgd"
                          ? OptimizerKind::SGD
                          : OptimizerKind::AdamW;
  options.clip = request.clip.value_or(true);
  return runPasses(module,
                   [&](OpPassManager &pm) { buildJointPipeline(pm, options); });
}

PlanOptions nlp::getPlanOptions(const PlanRequest &request, int64_t microBatch,
                                int64_t lossChunks) {
  PlanOptions options;
  options.dp = request.dp.value_or(0);
  options.tp = request.tp.value_or(0);
  options.pp = request.pp.value_or(0);
  options.cp = request.cp.value_or(0);
  options.ep = request.ep.value_or(0);
  options.zero = request.zero.value_or(0);
  options.sequenceParallel = request.sequenceParallel.value_or(false);
  options.microBatch = microBatch;
  options.lossChunks = lossChunks;
  options.schedule = request.schedule.value_or("");
  options.numerics = request.numerics.value_or("exact");
  options.memoryBudget = request.budgetBytes.value_or(0);
  options.stageLayers.assign(request.stageLayers.begin(),
                             request.stageLayers.end());
  return options;
}

int64_t nlp::countLossChunks(StepOp step) {
  int64_t losses = 0;
  for (auto segment : step.getBody().front().getOps<SegmentOp>())
    if (segment.getKind() == SegmentKind::Evaluate)
      losses =
          llvm::range_size(segment.getBody().front().getOps<CrossEntropyOp>());
  PlanAttr plan = step.getPlanAttr();
  return std::max<int64_t>(1, losses) * (plan ? plan.getLossChunks() : 1);
}

/// Seconds and matrix flops of the runs of an applied step.
static BlockCost getStepCost(StepOp step, const Machine &machine) {
  llvm::StringMap<BlockCost> costs;
  for (auto segment : step.getOps<SegmentOp>())
    costs[segment.getSymName()] =
        getBlockCost(segment.getBody().front(), machine);
  BlockCost total;
  for (Attribute run : step.getScheduleAttr()) {
    const BlockCost &cost = costs[cast<RunAttr>(run).getSegment().getValue()];
    total.seconds += cost.seconds;
    total.matrixFlops += cost.matrixFlops;
  }
  return total;
}

/// Whether the order of `segment` runs an op more than once.
static bool repeatsOps(SegmentOp segment) {
  OrderAttr order = segment.getOrderAttr();
  return order && llvm::any_of(order.getInstances(),
                               [](int64_t instance) { return instance > 0; });
}

/// Whether anything is recomputed.
static bool hasMarks(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    auto segment = dyn_cast<SegmentOp>(op);
    auto planned = dyn_cast<PlannedOpInterface>(op);
    OpPlanAttr plan = planned ? planned.getOpPlan() : OpPlanAttr();
    bool isMarked =
        (segment && repeatsOps(segment)) ||
        (plan && llvm::is_contained(plan.getStorage(), StorageKind::Recompute));
    return isMarked ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Removes all recompute marks, and the orders that carry them out: the step
/// that keeps everything.
static void clearMarks(ModuleOp module) {
  module.walk([](SegmentOp segment) {
    if (repeatsOps(segment))
      segment.removeOrderAttr();
  });
  module.walk([](PlannedOpInterface op) {
    if (OpPlanAttr plan = op.getOpPlan())
      op.setOpPlan(OpPlanAttr::get(op->getContext(), {}, plan.getPrecision(),
                                   plan.getShardings(), plan.getStage()));
  });
}

/// Carries out the plan of `module` and returns what the step then costs: added
/// up with updates in their own segment, as candidates are compared.
static llvm::Expected<BlockCost> applyPlan(ModuleOp module,
                                           const Machine &machine) {
  if (llvm::Error error =
          runPasses(module, buildOrderPipeline, /*verifies=*/false))
    return error;
  BlockCost cost = getStepCost(getStep(module), machine);
  if (llvm::Error error =
          runPasses(module, buildUpdatePipeline, /*verifies=*/false))
    return error;
  return cost;
}

/// The cost of the step of `planned` where it recomputes nothing.
static llvm::Expected<BlockCost> getKeepAllCost(ModuleOp planned,
                                                const Machine &machine) {
  OwningOpRef<ModuleOp> keepAll = planned.clone();
  clearMarks(*keepAll);
  return applyPlan(*keepAll, machine);
}

llvm::Error nlp::evaluatePlan(PlannedStep &step, const PlanRequest &request,
                              int64_t mostBytes) {
  step.runtime = step.planned->clone();
  llvm::Expected<BlockCost> applied = applyPlan(*step.runtime, request.machine);
  if (!applied)
    return applied.takeError();
  step.stepSeconds = applied->seconds;
  step.hardwareFlops = applied->matrixFlops;
  if (!step.keepAllCost) {
    step.keepAllCost = *applied;
    if (hasMarks(*step.planned)) {
      llvm::Expected<BlockCost> kept =
          getKeepAllCost(*step.planned, request.machine);
      if (!kept)
        return kept.takeError();
      step.keepAllCost = *kept;
    }
  }
  RuntimeOptions options;
  options.threads = request.threads;
  if (llvm::Error error = runPasses(
          *step.runtime,
          [&](OpPassManager &pm) { buildBufferPipeline(pm, options); },
          /*verifies=*/false))
    return error;
  auto program = *step.runtime->getOps<rt::ProgramOp>().begin();
  if (mostBytes < std::numeric_limits<int64_t>::max()) {
    int64_t liveBytes = rt::getMaxLiveBytes(program);
    if (liveBytes > mostBytes) {
      step.memory.arenaBytes = liveBytes;
      return llvm::Error::success();
    }
  }
  if (llvm::Error error = runPasses(
          *step.runtime,
          [](OpPassManager &pm) { pm.addPass(rt::createPlanMemory()); },
          /*verifies=*/false))
    return error;
  step.memory = rt::getMemoryReport(program);
  return llvm::Error::success();
}

/// Whether a step's plan is carried out: it has no plan, and its schedule has
/// more than one whole batch and the update, or the backward pass updates.
static bool isApplied(StepOp step) {
  if (!step || !step.getSchedule() || step.getPlan())
    return false;
  return step.getScheduleAttr().size() != 2 ||
         llvm::any_of(step.getOps<SegmentOp>(), [](SegmentOp segment) {
           return segment.getKind() == SegmentKind::ForwardBackward &&
                  !segment.getBody().front().getOps<AssignOp>().empty();
         });
}

llvm::Error nlp::lowerToRuntime(ModuleOp module, const PlanRequest &request) {
  // Whoever wrote the offsets: they are checked.
  if (isRuntime(module))
    return runPasses(module, [](OpPassManager &pm) {
      pm.addPass(rt::createVerifyMemory());
    });
  if (isApplied(getStep(module))) {
    RuntimeOptions options;
    options.threads = request.threads;
    return runPasses(
        module, [&](OpPassManager &pm) { buildRuntimePipeline(pm, options); });
  }
  llvm::Expected<PlanResult> result = planModel(module, request);
  if (!result)
    return result.takeError();
  if (llvm::Error error = checkFits(*result))
    return error;
  result->searchSeconds = 0; // the same plan, the same bytes in the binary
  auto program = *result->step.runtime->getOps<rt::ProgramOp>().begin();
  program.setPlan(renderPlanJson(*result));
  module.getBodyRegion().takeBody(result->step.runtime->getBodyRegion());
  return llvm::Error::success();
}
