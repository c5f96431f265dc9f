//===- PlanFrontier.cpp - Plans for all budgets at once ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plans of all variants that none of the others beats, as the solver counts
// them, are carried to their arenas; what is then still not dominated is the
// frontier. A row's budget is its arena: the smallest that has this plan.
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/PlanFrontier.h"
#include "nlp/Pipelines/StepVariant.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace nlp;

/// Plans of a variant at most, at even steps of bytes: each may have to be
/// carried to its arena.
static constexpr int64_t kPlanCount = 128;

namespace {
/// A plan as the solver counts it.
struct Candidate {
  StepVariant *variant;
  const StepVariant::StoragePlan *plan; // none: what is fixed, or all is kept
  int64_t bytes;
  double seconds;
};
} // namespace

static StepOp getStep(ModuleOp module) {
  return *module.getOps<StepOp>().begin();
}

/// Keeps what is smaller than all that is as fast: sorted from the smallest
/// and slowest to the largest and fastest.
template <typename T, typename GetBytes, typename GetSeconds>
static void dropDominated(std::vector<T> &plans, GetBytes getBytes,
                          GetSeconds getSeconds) {
  llvm::stable_sort(plans, [&](const T &a, const T &b) {
    return std::pair(getBytes(a), getSeconds(a)) <
           std::pair(getBytes(b), getSeconds(b));
  });
  std::vector<T> kept;
  for (T &plan : plans)
    if (kept.empty() || getSeconds(plan) < getSeconds(kept.back()))
      kept.push_back(std::move(plan));
  plans = std::move(kept);
}

static llvm::Expected<std::vector<StepVariant>>
createVariants(ModuleOp joint, const PlanRequest &request) {
  std::vector<StepVariant> variants;
  int64_t length = getStep(joint).getModel()->getSeqLen();
  for (int64_t size : getMicroBatches(getStep(joint), request))
    for (int64_t chunks : getLossChunks(size * length, request)) {
      llvm::Expected<StepVariant> variant =
          StepVariant::create(joint, request, size, chunks);
      if (!variant)
        return variant.takeError();
      variants.push_back(std::move(*variant));
    }
  return variants;
}

/// Keeps, of the plans in each step of bytes, the fastest.
static void dropBetweenSteps(std::vector<Candidate> &candidates) {
  int64_t first = candidates.front().bytes;
  int64_t stepBytes = (candidates.back().bytes - first) / kPlanCount + 1;
  std::vector<Candidate> kept;
  int64_t last = -1;
  for (const Candidate &candidate : candidates) {
    int64_t step = (candidate.bytes - first + stepBytes - 1) / stepBytes;
    if (step == last)
      kept.pop_back();
    kept.push_back(candidate);
    last = step;
  }
  candidates = std::move(kept);
}

static std::vector<Candidate>
collectCandidates(std::vector<StepVariant> &variants,
                  const PlanRequest &request) {
  std::vector<Candidate> candidates;
  for (StepVariant &variant : variants) {
    bool mayChoose = variant.hasChoices() && request.recompute == "auto";
    candidates.push_back({&variant, nullptr,
                          variant.hasChoices() ? variant.getKeepAllBytes() : 0,
                          variant.getKeepAllCost().seconds});
    if (!mayChoose)
      continue;
    std::vector<Candidate> own;
    for (const StepVariant::StoragePlan &plan : variant.getPlans())
      own.push_back({&variant, &plan, plan.peakBytes,
                     variant.getStepSeconds(plan.passSeconds)});
    dropBetweenSteps(own);
    llvm::append_range(candidates, own);
  }
  dropDominated(
      candidates, [](const Candidate &plan) { return plan.bytes; },
      [](const Candidate &plan) { return plan.seconds; });
  return candidates;
}

llvm::Expected<std::vector<FrontierRow>>
nlp::planFrontier(ModuleOp module, const PlanRequest &request) {
  OwningOpRef<ModuleOp> joint = module.clone();
  if (llvm::Error error = lowerToJoint(*joint, request))
    return error;
  if (llvm::Error error = checkRequest(getStep(*joint), request))
    return error;
  if (getStep(*joint).getPlan())
    return makeError("--frontier: expected a model that is not planned yet");
  llvm::Expected<std::vector<StepVariant>> variants =
      createVariants(*joint, request);
  if (!variants)
    return variants.takeError();
  std::vector<FrontierRow> rows;
  for (const Candidate &plan : collectCandidates(*variants, request)) {
    llvm::Expected<PlannedStep> step = plan.variant->evaluate(plan.plan);
    if (!step)
      return step.takeError();
    int64_t bytes = step->memory.arenaBytes;
    rows.push_back({bytes, bytes, step->stepSeconds,
                    step->stepSeconds / step->getKeepAllSeconds() - 1,
                    plan.variant->getLowerBoundSeconds(bytes)});
  }
  dropDominated(
      rows, [](const FrontierRow &row) { return row.peakBytes; },
      [](const FrontierRow &row) { return row.stepSeconds; });
  return rows;
}

std::string nlp::renderFrontier(const std::vector<FrontierRow> &rows) {
  std::string text =
      "budget_bytes,peak_bytes,step_seconds,overhead,lower_bound_seconds\n";
  for (const FrontierRow &row : rows)
    text += llvm::formatv("{0},{1},{2:F9},{3:F9},{4:F9}\n", row.budgetBytes,
                          row.peakBytes, row.stepSeconds, row.overhead,
                          row.lowerBoundSeconds)
                .str();
  return text;
}
