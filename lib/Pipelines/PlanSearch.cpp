//===- PlanSearch.cpp - The fastest plan whose arena fits -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Micro-batches are visited from the largest, which repeats the least work, to
// the smallest, until the best plan found is faster than the next could be.
// Within a variant, plans of a frontier that does not depend on the budget are
// carried to their packed arenas from the fastest on; the first that fits is
// taken. So a larger budget always has the plans of a smaller one to choose
// from: it is never slower.
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/PlanSession.h"
#include "nlp/Pipelines/StepVariant.h"
#include "nlp/Support/Units.h"
#include <chrono>
#include <limits>
#include <map>

using namespace mlir;
using namespace nlp;

namespace {
/// What is known of the plans for one request.
class PlanSearch {
public:
  PlanSearch(ModuleOp joint, const PlanRequest &request, int64_t budgetBytes)
      : joint(joint), request(request), budgetBytes(budgetBytes) {}

  llvm::Error run(PlanResult &result);

private:
  llvm::Expected<StepVariant *> getVariant(int64_t microBatch, int64_t chunks);
  llvm::Expected<bool> searchMicroBatch(int64_t microBatch,
                                        ArrayRef<int64_t> chunks);
  llvm::Error searchVariant(StepVariant &variant);
  bool considerSmallest(StepVariant &variant, PlannedStep step);
  llvm::Error findSmallest(int64_t microBatch, ArrayRef<int64_t> chunks);
  void consider(PlannedStep step, double lowerBoundSeconds);

  double getBestSeconds() const {
    return best ? best->stepSeconds : std::numeric_limits<double>::infinity();
  }

  ModuleOp joint;
  const PlanRequest &request;
  int64_t budgetBytes;
  /// By micro-batch and loss chunks.
  std::map<std::pair<int64_t, int64_t>, StepVariant> variants;
  std::optional<PlannedStep> best;     ///< The fastest that fits.
  std::optional<PlannedStep> smallest; ///< The smallest of all.
};
} // namespace

static StepOp getStep(ModuleOp module) {
  return *module.getOps<StepOp>().begin();
}

/// Notes a plan that was carried through to its arena.
void PlanSearch::consider(PlannedStep step, double lowerBoundSeconds) {
  step.lowerBoundSeconds = lowerBoundSeconds;
  if (step.memory.arenaBytes <= budgetBytes &&
      step.stepSeconds < getBestSeconds())
    best = std::move(step);
}

llvm::Error PlanSearch::searchVariant(StepVariant &variant) {
  double bound = variant.getLowerBoundSeconds(budgetBytes);
  if (bound >= getBestSeconds())
    return llvm::Error::success();
  auto evaluate = [&](const StepVariant::StoragePlan *plan) -> llvm::Error {
    llvm::Expected<PlannedStep> step = variant.evaluate(plan);
    if (!step)
      return step.takeError();
    consider(std::move(*step), bound);
    return llvm::Error::success();
  };
  bool mayChoose = variant.hasChoices() && request.recompute == "auto";
  if (!mayChoose || variant.getKeepAllBytes() <= budgetBytes)
    if (llvm::Error error = evaluate(nullptr))
      return error;
  if (!mayChoose)
    return llvm::Error::success();
  for (const StepVariant::StoragePlan &plan :
       llvm::reverse(variant.getPlans())) {
    if (plan.peakBytes > budgetBytes)
      continue;
    if (variant.getStepSeconds(plan.passSeconds) >= getBestSeconds())
      break;
    if (llvm::Error error = evaluate(&plan))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<StepVariant *> PlanSearch::getVariant(int64_t microBatch,
                                                     int64_t chunks) {
  auto [it, isNew] = variants.try_emplace({microBatch, chunks});
  if (isNew) {
    llvm::Expected<StepVariant> variant =
        StepVariant::create(joint, request, microBatch, chunks);
    if (!variant)
      return variant.takeError();
    it->second = std::move(*variant);
  }
  return &it->second;
}

/// False where no plan of this micro-batch can be the best.
llvm::Expected<bool> PlanSearch::searchMicroBatch(int64_t microBatch,
                                                  ArrayRef<int64_t> chunks) {
  bool isWorthwhile = false;
  for (int64_t count : chunks) {
    // More chunks only cost time where fewer keep everything.
    if (isWorthwhile && best && best->stepSeconds <= best->getKeepAllSeconds())
      break;
    llvm::Expected<StepVariant *> variant = getVariant(microBatch, count);
    if (!variant)
      return variant.takeError();
    if ((*variant)->getKeepAllCost().seconds >= getBestSeconds())
      continue;
    isWorthwhile = true;
    if (llvm::Error error = searchVariant(**variant))
      return error;
  }
  return isWorthwhile;
}

/// Notes a plan of `variant` if it takes less memory than all before.
bool PlanSearch::considerSmallest(StepVariant &variant, PlannedStep step) {
  if (smallest && smallest->memory.arenaBytes <= step.memory.arenaBytes)
    return false;
  step.lowerBoundSeconds = variant.getLowerBoundSeconds(budgetBytes);
  smallest = std::move(step);
  return true;
}

/// The plan that takes the least memory: what the budget has to be at least.
/// What the solver counts is no more than the arena; beyond that, workspaces
/// may make the plain rule of recomputing block by block smaller.
llvm::Error PlanSearch::findSmallest(int64_t microBatch,
                                     ArrayRef<int64_t> chunks) {
  StepVariant *owner = nullptr;
  for (int64_t count : llvm::reverse(chunks)) {
    llvm::Expected<StepVariant *> variant = getVariant(microBatch, count);
    if (!variant)
      return variant.takeError();
    bool mayChoose = (*variant)->hasChoices() && request.recompute == "auto";
    const StepVariant::StoragePlan *least =
        mayChoose ? &(*variant)->getPlans().front() : nullptr;
    // Less than a thousandth is not worth another try.
    if (owner && least &&
        least->peakBytes >= smallest->memory.arenaBytes / 1000 * 999)
      continue;
    llvm::Expected<PlannedStep> step = (*variant)->evaluate(least);
    if (!step)
      return step.takeError();
    if (considerSmallest(**variant, std::move(*step)))
      owner = *variant;
  }
  if (request.recompute != "auto" || !owner->hasChoices())
    return llvm::Error::success();
  llvm::Expected<std::optional<PlannedStep>> blocks = owner->evaluateBlocks();
  if (!blocks)
    return blocks.takeError();
  if (*blocks)
    considerSmallest(*owner, std::move(**blocks));
  return llvm::Error::success();
}

llvm::Error PlanSearch::run(PlanResult &result) {
  StepOp step = getStep(joint);
  SmallVector<int64_t> sizes = getMicroBatches(step, request);
  int64_t length = step.getModel()->getSeqLen();
  if (llvm::Error error = findSmallest(
          sizes.back(), getLossChunks(sizes.back() * length, request)))
    return error;
  result.minFeasibleBytes = smallest->memory.arenaBytes;
  for (int64_t size : sizes) {
    llvm::Expected<bool> isWorthwhile =
        searchMicroBatch(size, getLossChunks(size * length, request));
    if (!isWorthwhile)
      return isWorthwhile.takeError();
    // Smaller micro-batches take longer, whatever is kept.
    if (!*isWorthwhile)
      break;
  }
  if (best) {
    result.minFeasibleBytes =
        std::min(result.minFeasibleBytes, best->memory.arenaBytes);
    result.feasible = true;
    result.step = std::move(*best);
    return llvm::Error::success();
  }
  result.feasible = smallest->memory.arenaBytes <= budgetBytes;
  result.step = std::move(*smallest);
  return llvm::Error::success();
}

/// What the user says, or the plan that the step has, or the device's memory.
static int64_t getBudgetBytes(StepOp step, const PlanRequest &request) {
  if (request.budgetBytes)
    return *request.budgetBytes;
  PlanAttr plan = step.getPlanAttr();
  return plan && plan.getBudget() > 0 ? plan.getBudget()
                                      : request.machine.device.memoryBytes;
}

/// Carries the plan that `joint` has through to its arena.
static llvm::Error evaluateAsPlanned(ModuleOp joint, const PlanRequest &request,
                                     PlanResult &result) {
  result.step.planned = joint.clone();
  if (llvm::Error error = evaluatePlan(result.step, request))
    return error;
  result.step.lowerBoundSeconds = result.step.getKeepAllSeconds();
  result.minFeasibleBytes = result.step.memory.arenaBytes;
  result.feasible = result.minFeasibleBytes <= result.budgetBytes;
  return llvm::Error::success();
}

/// Says what a request with `changed` would need, if it can be planned.
static void addRelaxation(PlanResult &result, ModuleOp joint,
                          const PlanRequest &changed, const std::string &text) {
  PlanResult relaxed;
  if (llvm::Error error =
          PlanSearch(joint, changed, result.budgetBytes).run(relaxed)) {
    llvm::consumeError(std::move(error));
    return;
  }
  int64_t bytes = relaxed.minFeasibleBytes;
  if (bytes < result.minFeasibleBytes)
    result.relaxations.push_back(
        text + " needs " + formatSize(bytes) + " (" + std::to_string(bytes) +
        " bytes)" +
        (bytes > result.budgetBytes ? ", less, if not enough" : ""));
}

/// Whether the buffers of a category are a good part of the peak.
static bool isLarge(const PlanResult &result, rt::Category category) {
  const rt::MemoryReport &memory = result.step.memory;
  return memory.bytes[static_cast<size_t>(category)] >= memory.arenaBytes / 5;
}

/// What else would bring the step under the budget.
static void addRelaxations(PlanResult &result, ModuleOp module, ModuleOp joint,
                           const PlanRequest &request) {
  PlanRequest changed = request;
  if (request.microBatch && *request.microBatch > 1) {
    changed.microBatch = 1;
    addRelaxation(result, joint, changed, "--micro-batch=1");
  }
  changed = request;
  if (request.recompute != "auto") {
    changed.recompute = "auto";
    addRelaxation(result, joint, changed, "--recompute=auto");
  }
  changed = request;
  if (request.lossChunks) {
    changed.lossChunks.reset();
    addRelaxation(result, joint, changed, "--loss-chunks left to the planner");
  }
  changed = request;
  if (isLarge(result, rt::Category::Optimizer)) {
    // A graph may still take another optimizer; other modules have theirs.
    changed.optimizer = "sgd";
    OwningOpRef<ModuleOp> other = module.clone();
    if (llvm::Error error = lowerToJoint(*other, changed))
      llvm::consumeError(std::move(error));
    else
      addRelaxation(result, *other, changed, "--optimizer=sgd");
  }
  int64_t needed = result.minFeasibleBytes,
          device = request.machine.device.memoryBytes;
  result.relaxations.push_back(
      needed <= device
          ? "--memory-budget=" + std::to_string(needed) + " is enough as it is"
          : "a device with " + std::to_string(needed - device) +
                " bytes more memory is enough: this one has " +
                formatSize(device) + " (" + std::to_string(device) + " bytes)");
  if (isLarge(result, rt::Category::Activations) &&
      getStep(joint).getModel()->getSeqLen() > 1)
    result.relaxations.push_back(
        "a --seq-len below " +
        std::to_string(getStep(joint).getModel()->getSeqLen()) +
        " takes less memory for activations");
}

llvm::Expected<PlanResult> nlp::planModel(ModuleOp module,
                                          const PlanRequest &request) {
  auto start = std::chrono::steady_clock::now();
  OwningOpRef<ModuleOp> joint = module.clone();
  if (llvm::Error error = lowerToJoint(*joint, request))
    return error;
  StepOp step = getStep(*joint);
  if (llvm::Error error = checkRequest(step, request))
    return error;
  PlanResult result;
  result.budgetBytes = getBudgetBytes(step, request);
  if (llvm::Error error =
          step.getPlan()
              ? evaluateAsPlanned(*joint, request, result)
              : PlanSearch(*joint, request, result.budgetBytes).run(result))
    return error;
  // The candidates were not verified; what is handed out is.
  auto nothing = [](OpPassManager &) {};
  for (ModuleOp taken : {*result.step.planned, *result.step.runtime})
    if (llvm::Error error = runPasses(taken, nothing))
      return error;
  if (!result.feasible && !step.getPlan())
    addRelaxations(result, module, *joint, request);
  result.searchSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}
