//===- PlanSession.cpp - From a model to a plan that fits ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate plan is carried through to its packed arena, since only the arena
// tells whether it fits: clone, plan, apply, lower, pack. Candidates are the
// micro-batches that divide the batch, from large to small.
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
#include <chrono>

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
                           function_ref<void(OpPassManager &)> build) {
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
  // Once behind all passes: behind each of them, as in nlp-opt, it would take
  // longer than the passes.
  pm.enableVerifier(false);
  build(pm);
  if (failed(pm.run(module)) || failed(verify(module)))
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

static PlanOptions getPlanOptions(const PlanRequest &request,
                                  int64_t microBatch) {
  PlanOptions options;
  options.dp = request.dp.value_or(0);
  options.tp = request.tp.value_or(0);
  options.pp = request.pp.value_or(0);
  options.cp = request.cp.value_or(0);
  options.ep = request.ep.value_or(0);
  options.zero = request.zero.value_or(0);
  options.sequenceParallel = request.sequenceParallel.value_or(false);
  options.microBatch = microBatch;
  options.lossChunks = request.lossChunks.value_or(0);
  options.schedule = request.schedule.value_or("");
  options.numerics = request.numerics.value_or("exact");
  options.memoryBudget = request.budgetBytes.value_or(0);
  options.stageLayers.assign(request.stageLayers.begin(),
                             request.stageLayers.end());
  return options;
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

/// Carries out the plan of `module` and returns what the step then costs.
static llvm::Expected<BlockCost> applyPlan(ModuleOp module,
                                           const Machine &machine) {
  if (llvm::Error error =
          runPasses(module, [](OpPassManager &pm) { buildApplyPipeline(pm); }))
    return error;
  return getStepCost(getStep(module), machine);
}

/// The cost of the step of `planned` where it recomputes nothing.
static llvm::Expected<BlockCost> getKeepAllCost(ModuleOp planned,
                                                const Machine &machine) {
  OwningOpRef<ModuleOp> keepAll = planned.clone();
  clearMarks(*keepAll);
  return applyPlan(*keepAll, machine);
}

/// Fills in what follows from `step.planned`: arena, time, flops.
static llvm::Error evaluatePlan(PlannedStep &step, const PlanRequest &request) {
  step.runtime = step.planned->clone();
  llvm::Expected<BlockCost> applied = applyPlan(*step.runtime, request.machine);
  if (!applied)
    return applied.takeError();
  BlockCost cost = *applied, keepAllCost = cost;
  if (hasMarks(*step.planned)) {
    llvm::Expected<BlockCost> kept =
        getKeepAllCost(*step.planned, request.machine);
    if (!kept)
      return kept.takeError();
    keepAllCost = *kept;
  }
  step.keepAllSeconds = keepAllCost.seconds;
  step.modelFlops = keepAllCost.matrixFlops;
  step.stepSeconds = cost.seconds;
  step.hardwareFlops = cost.matrixFlops;
  RuntimeOptions options;
  options.threads = request.threads;
  if (llvm::Error error = runPasses(*step.runtime, [&](OpPassManager &pm) {
        buildRuntimePipeline(pm, options);
      }))
    return error;
  step.memory =
      rt::getMemoryReport(*step.runtime->getOps<rt::ProgramOp>().begin());
  return llvm::Error::success();
}

/// Plans a clone of `joint` with the given micro-batch.
static llvm::Expected<PlannedStep>
planCandidate(ModuleOp joint, const PlanRequest &request, int64_t microBatch) {
  PlannedStep step;
  step.planned = joint.clone();
  if (!getStep(*step.planned).getPlan())
    if (llvm::Error error = runPasses(*step.planned, [&](OpPassManager &pm) {
          pm.addPass(createPlan(getPlanOptions(request, microBatch)));
        }))
      return error;
  if (llvm::Error error = evaluatePlan(step, request))
    return error;
  return step;
}

/// The micro-batches to try, from large to small; 0 is what the planner takes.
static SmallVector<int64_t> getCandidates(StepOp step,
                                          const PlanRequest &request) {
  if (step.getPlan() || request.microBatch)
    return {request.microBatch.value_or(0)};
  int64_t batch = step.getModel()->getGlobalBatch() / request.dp.value_or(1);
  SmallVector<int64_t> sizes;
  for (int64_t size = batch; size >= 1; --size)
    if (batch % size == 0)
      sizes.push_back(size);
  return sizes;
}

/// What the user says, or the plan that the step has, or the device's memory.
static int64_t getBudgetBytes(StepOp step, const PlanRequest &request) {
  if (request.budgetBytes)
    return *request.budgetBytes;
  PlanAttr plan = step.getPlanAttr();
  return plan && plan.getBudget() > 0 ? plan.getBudget()
                                      : request.machine.device.memoryBytes;
}

/// What else would bring the step under the budget.
static void addRelaxations(PlanResult &result, ModuleOp joint,
                           const PlanRequest &request) {
  StepOp step = getStep(joint);
  if (request.microBatch && *request.microBatch > 1) {
    auto smaller = planCandidate(joint, request, 1);
    if (smaller)
      result.relaxations.push_back(
          "--micro-batch=1 needs " + formatSizeUp(smaller->memory.arenaBytes) +
          " (" + std::to_string(smaller->memory.arenaBytes) + " bytes)");
    else
      llvm::consumeError(smaller.takeError());
  }
  result.relaxations.push_back(
      "--memory-budget=" + std::to_string(result.minFeasibleBytes) +
      " is enough as it is");
  if (step.getModel()->getSeqLen() > 1)
    result.relaxations.push_back("a --seq-len below " +
                                 std::to_string(step.getModel()->getSeqLen()) +
                                 " takes less memory for activations");
}

llvm::Expected<PlanResult> nlp::planModel(ModuleOp module,
                                          const PlanRequest &request) {
  auto start = std::chrono::steady_clock::now();
  OwningOpRef<ModuleOp> joint = module.clone();
  if (llvm::Error error = lowerToJoint(*joint, request))
    return error;
  if (llvm::Error error = checkRequest(getStep(*joint), request))
    return error;
  PlanResult result;
  result.budgetBytes = getBudgetBytes(getStep(*joint), request);
  for (int64_t microBatch : getCandidates(getStep(*joint), request)) {
    llvm::Expected<PlannedStep> step =
        planCandidate(*joint, request, microBatch);
    if (!step)
      return step.takeError();
    int64_t bytes = step->memory.arenaBytes;
    bool fits = bytes <= result.budgetBytes;
    if (result.minFeasibleBytes == 0 || bytes < result.minFeasibleBytes) {
      result.minFeasibleBytes = bytes;
      if (!result.feasible)
        result.step = std::move(*step);
    }
    result.feasible |= fits;
    if (fits)
      break;
  }
  if (!result.feasible)
    addRelaxations(result, *joint, request);
  result.searchSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}

/// Whether a step's plan is carried out: it has no plan, and its schedule has
/// more than one whole batch and the update.
static bool isApplied(StepOp step) {
  return step && step.getSchedule() && !step.getPlan() &&
         step.getScheduleAttr().size() != 2;
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
