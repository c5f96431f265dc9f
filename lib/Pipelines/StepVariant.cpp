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

/// Plans of a variant: at most this share of the span of budgets is wasted.
static constexpr int32_t frontierPoints = 257;

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
    variant.problem = buildStorageProblem(step, request.machine);
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

int64_t StepVariant::getKeepAllBytes() {
  return getFrontier().keepEverythingBytes;
}

const solver::RecomputeFrontier &StepVariant::getFrontier() {
  if (!frontier)
    frontier = solver::computeFrontier(problem.program, {}, frontierPoints);
  return *frontier;
}

double StepVariant::getLowerBoundSeconds(int64_t budgetBytes) const {
  if (!hasChoices())
    return getKeepAllCost().seconds;
  return getStepSeconds(
      solver::boundRecompute(problem.program, budgetBytes).seconds);
}

/// Writes down that everything is kept, or what the user has fixed.
static llvm::Error writeFixedPlan(StepOp step, const PlanRequest &request,
                                  const StorageProblem &problem) {
  if (request.recompute == "auto" || request.recompute == "none") {
    std::vector<solver::ScheduledOp> schedule;
    for (size_t op = 0; op < problem.ops.size(); ++op)
      schedule.push_back({static_cast<int32_t>(op), {}});
    if (!problem.ops.empty())
      writeStoragePlan(getPasses(step), problem, schedule);
    return llvm::Error::success();
  }
  llvm::Expected<RecomputePolicy> policy =
      RecomputePolicy::parse(request.recompute);
  return policy ? applyRecomputePolicy(step, *policy) : policy.takeError();
}

llvm::Expected<PlannedStep> StepVariant::evaluate(std::optional<size_t> index) {
  StepOp own = getStep(*module);
  if (index)
    writeStoragePlan(getPasses(own), problem,
                     frontier->points[*index].schedule);
  else if (llvm::Error error = writeFixedPlan(own, *request, problem))
    return error;
  PlannedStep step;
  step.planned = module->clone();
  step.keepAllCost = getKeepAllCost();
  if (llvm::Error error = evaluatePlan(step, *request))
    return error;
  return step;
}
