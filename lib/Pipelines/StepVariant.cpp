//===- StepVariant.cpp - A step whose shapes are decided --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/StepVariant.h"
#include "nlp/Analysis/StepTime.h"
#include "nlp/Pipelines/Pipelines.h"
#include "nlp/Planner/Passes.h"
#include "nlp/Planner/RecomputePolicy.h"

using namespace mlir;
using namespace nlp;

/// Plans of a variant, at even steps of bytes from the smallest peak to the
/// largest: each may have to be carried to its arena.
static constexpr int64_t planCount = 128;

static StepOp getStep(ModuleOp module) {
  return *module.getOps<StepOp>().begin();
}

static SegmentOp getPasses(StepOp step) {
  for (auto segment : step.getBody().front().getOps<SegmentOp>())
    if (segment.getKind() == SegmentKind::ForwardBackward)
      return segment;
  return {};
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
  int64_t last = 0;
  for (auto run : step.getScheduleAttr().getAsRange<RunAttr>())
    last = std::max(last, run.getMicroBatch());
  variant.microBatches = last + 1;
  // Values that cross from segment to segment are in slots, which are kept.
  if (step.getPlanAttr().getSchedule().getKind() != ScheduleKind::GPipe)
    variant.findPlans(step);
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

/// Fills the pool and takes, of the plans in each step of bytes, the fastest.
void StepVariant::findPlans(StepOp step) {
  problem = std::make_unique<StorageProblem>(
      buildStorageProblem(step, request->machine));
  if (problem->ops.empty())
    return;
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
}

double StepVariant::getLowerBoundSeconds(int64_t budgetBytes) {
  return hasChoices() ? getStepSeconds(pool->getBound(budgetBytes).seconds)
                      : getKeepAllCost().seconds;
}

/// Writes down that everything is kept, or what the user has fixed.
static llvm::Error writeFixedPlan(StepOp step, const PlanRequest &request,
                                  const StorageProblem *problem) {
  if (request.recompute == "auto" || request.recompute == "none") {
    std::vector<solver::ScheduledOp> schedule;
    for (size_t op = 0; problem && op < problem->ops.size(); ++op)
      schedule.push_back({static_cast<int32_t>(op), {}});
    if (!schedule.empty())
      writeStoragePlan(getPasses(step), *problem, schedule);
    return llvm::Error::success();
  }
  llvm::Expected<RecomputePolicy> policy =
      RecomputePolicy::parse(request.recompute);
  return policy ? applyRecomputePolicy(step, *policy) : policy.takeError();
}

llvm::Expected<PlannedStep> StepVariant::evaluate(const StoragePlan *plan) {
  StepOp own = getStep(*module);
  if (plan)
    writeStoragePlan(getPasses(own), *problem, pool->getSchedule(plan->number));
  else if (llvm::Error error = writeFixedPlan(own, *request, problem.get()))
    return error;
  return carryThrough();
}

llvm::Expected<std::optional<PlannedStep>> StepVariant::evaluateBlocks() {
  if (llvm::Error error =
          applyRecomputePolicy(getStep(*module), RecomputePolicy())) {
    llvm::consumeError(std::move(error)); // no blocks
    return std::nullopt;
  }
  llvm::Expected<PlannedStep> step = carryThrough();
  if (!step)
    return step.takeError();
  return std::move(*step);
}

llvm::Expected<PlannedStep> StepVariant::carryThrough() {
  PlannedStep step;
  step.planned = module->clone();
  step.keepAllCost = getKeepAllCost();
  if (llvm::Error error = evaluatePlan(step, *request))
    return error;
  return step;
}
