//===- StepVariant.cpp - A step whose shapes are decided --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/StepVariant.h"
#include "mlir/IR/Diagnostics.h"
#include "nlp/Analysis/StepTime.h"
#include "nlp/Conversion/KernelWorkspace.h"
#include "nlp/Conversion/SegmentLaunches.h"
#include "nlp/Dialect/NLP/IR/Schedule.h"
#include "nlp/Pipelines/Pipelines.h"
#include "nlp/Planner/Passes.h"
#include "nlp/Planner/RecomputePolicy.h"

using namespace mlir;
using namespace nlp;

/// Plans of a variant, at even steps of bytes from the smallest peak to the
/// largest: where arenas are a little above what is live, one after the other is
/// packed until one fits.
static constexpr int64_t planCount = 1024;

static StepOp getStep(ModuleOp module) {
  return *module.getOps<StepOp>().begin();
}

/// The workspaces that the arena will have for each op of `segment`. None where
/// it cannot be lowered: that is said where its arena is asked for.
static SmallVector<int64_t> getWorkspaces(SegmentOp segment, int64_t threads) {
  ScopedDiagnosticHandler quiet(segment.getContext(),
                                [](Diagnostic &) { return success(); });
  DenseMap<Operation *, int64_t> bytes;
  auto note = [&](Operation *op, rt::LaunchOp launch) -> LogicalResult {
    auto program = launch->getParentOfType<rt::ProgramOp>();
    FailureOr<int64_t> needed =
        rt::getKernelWorkspaceBytes(launch, program.getThreads());
    if (failed(needed))
      return failure();
    bytes[op] = std::max(bytes[op], *needed);
    return success();
  };
  if (failed(visitLaunches(segment, threads, note)))
    return {};
  SmallVector<int64_t> workspaces;
  for (Operation &op : segment.getBody().front())
    workspaces.push_back(bytes.lookup(&op));
  return workspaces;
}

SmallVector<int64_t> nlp::getMicroBatches(StepOp step,
                                          const PlanRequest &request) {
  if (request.microBatch)
    return {*request.microBatch};
  int64_t batch = step.getModel()->getGlobalBatch() / request.dp.value_or(1);
  SmallVector<int64_t> sizes;
  for (int64_t size = batch; size >= 1; --size)
    if (batch % size == 0)
      sizes.push_back(size);
  return sizes;
}

SmallVector<int64_t> nlp::getLossChunks(int64_t tokens,
                                        const PlanRequest &request) {
  if (request.lossChunks)
    return {*request.lossChunks};
  SmallVector<int64_t> counts;
  for (int64_t count : {1, 4, 16})
    if (count <= tokens)
      counts.push_back(count);
  return counts;
}

llvm::Expected<StepVariant> StepVariant::create(ModuleOp joint,
                                                const PlanRequest &request,
                                                int64_t microBatch,
                                                int64_t lossChunks) {
  StepVariant variant;
  variant.request = &request;
  variant.module = joint.clone();
  auto build = [&](OpPassManager &pm) {
    pm.addPass(createPlan(getPlanOptions(request, microBatch, lossChunks)));
    buildShapePipeline(pm);
    // The plan stays with the step, less what would be carried out again.
    pm.addPass(createPlan(getPlanOptions(request, microBatch, 1)));
  };
  if (llvm::Error error = runPasses(*variant.module, build, /*verifies=*/false))
    return error;
  StepOp step = getStep(*variant.module);
  variant.microBatches = countMicroBatches(step);
  // Values that cross from segment to segment are in slots, which are kept.
  if (step.getPlanAttr().getSchedule().getKind() != ScheduleKind::GPipe)
    variant.findChoices(step);
  for (auto segment : step.getBody().front().getOps<SegmentOp>()) {
    BlockCost cost = getBlockCost(segment.getBody().front(), request.machine);
    if (segment.getKind() == SegmentKind::Update)
      variant.updateCost += cost;
    else if (segment.getKind() != SegmentKind::Evaluate)
      variant.passCost += cost;
  }
  return variant;
}

BlockCost StepVariant::getKeepAllCost() const {
  BlockCost cost = updateCost;
  for (int64_t microBatch = 0; microBatch < microBatches; ++microBatch)
    cost += passCost;
  return cost;
}

/// Reads what there is to choose.
void StepVariant::findChoices(StepOp step) {
  SmallVector<int64_t> workspaces;
  if (SegmentOp segment = getPassesSegment(step))
    workspaces = getWorkspaces(segment, request->threads);
  problem = std::make_unique<StorageProblem>(
      buildStorageProblem(step, request->machine, workspaces));
  if (!problem->ops.empty())
    keepAllBytes = solver::getKeepEverythingBytes(problem->program);
}

/// Fills the pool and takes, of the plans in each step of bytes, the fastest.
const std::vector<StepVariant::StoragePlan> &StepVariant::getPlans() {
  if (pool)
    return plans;
  pool.emplace(problem->program);
  std::vector<solver::RecomputePool::Plan> all = pool->getPlans();
  int64_t first = all.front().peakBytes;
  int64_t stepBytes = (all.back().peakBytes - first) / planCount + 1;
  int64_t last = -1;
  for (auto [number, plan] : llvm::enumerate(all)) {
    int64_t place = (plan.peakBytes - first + stepBytes - 1) / stepBytes;
    if (place == last)
      plans.pop_back();
    plans.push_back({number, plan.peakBytes, plan.seconds});
    last = place;
  }
  return plans;
}

double StepVariant::getLowerBoundSeconds(int64_t budgetBytes) {
  if (!hasChoices())
    return getKeepAllCost().seconds;
  return getStepSeconds(
      pool ? pool->getBound(budgetBytes).seconds
           : solver::boundRecompute(problem->program, budgetBytes).seconds);
}

int64_t StepVariant::getFloorBytes() const {
  return solver::boundRecompute(problem->program, kAnyBytes).floorBytes;
}

/// Writes down that everything is kept, or what the user has fixed.
static llvm::Error writeFixedPlan(StepOp step, const PlanRequest &request,
                                  const StorageProblem *problem) {
  if (request.recompute == "auto" || request.recompute == "none") {
    std::vector<solver::ScheduledOp> schedule;
    for (size_t op = 0; problem && op < problem->ops.size(); ++op)
      schedule.push_back({static_cast<int32_t>(op), {}});
    if (!schedule.empty())
      writeStoragePlan(getPassesSegment(step), *problem, schedule);
    return llvm::Error::success();
  }
  llvm::Expected<RecomputePolicy> policy =
      RecomputePolicy::parse(request.recompute);
  return policy ? applyRecomputePolicy(step, *policy) : policy.takeError();
}

llvm::Expected<PlannedStep> StepVariant::evaluate(const StoragePlan *plan,
                                                  int64_t mostBytes) {
  StepOp own = getStep(*module);
  if (plan)
    writeStoragePlan(getPassesSegment(own), *problem,
                     pool->getSchedule(plan->number));
  else if (llvm::Error error = writeFixedPlan(own, *request, problem.get()))
    return error;
  return carryThrough(mostBytes);
}

llvm::Expected<std::optional<PlannedStep>>
StepVariant::evaluateBlocks(int64_t mostBytes) {
  if (llvm::Error error =
          applyRecomputePolicy(getStep(*module), RecomputePolicy())) {
    llvm::consumeError(std::move(error)); // no blocks
    return std::nullopt;
  }
  llvm::Expected<PlannedStep> step = carryThrough(mostBytes);
  if (!step)
    return step.takeError();
  return std::move(*step);
}

llvm::Expected<PlannedStep> StepVariant::carryThrough(int64_t mostBytes) {
  PlannedStep step;
  step.planned = module->clone();
  step.keepAllCost = getKeepAllCost();
  if (llvm::Error error = evaluatePlan(step, *request, mostBytes))
    return error;
  return step;
}
