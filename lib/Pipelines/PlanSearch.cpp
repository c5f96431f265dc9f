//===- PlanSearch.cpp - The fastest plan whose arena fits -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Best first. Whatever may lead to a plan has a time that the plan is not
// below: shapes have that of the shapes before them with everything kept (more
// loss chunks and smaller micro-batches only cost time), variants their lower
// bound, plans their own time. The least is looked at next, until a plan is
// found whose arena fits and nothing that is left can be faster. So only what
// could still win is built, and plans are packed only where all faster ones did
// not fit. Plans are those of frontiers that do not depend on the budget: a
// larger budget has the plans of a smaller one to choose from, and is never
// slower.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Passes.h"
#include "nlp/Pipelines/PlanSession.h"
#include "nlp/Pipelines/StepVariant.h"
#include "nlp/Support/Units.h"
#include <chrono>
#include <limits>
#include <map>
#include <set>

using namespace mlir;
using namespace nlp;

namespace {
/// Something that may lead to a plan.
struct Lead {
  enum Kind { Shapes, KeepAll, Pool, Plan };

  double seconds;      ///< No plan that it leads to is faster.
  size_t size, chunks; ///< Numbers of the micro-batch and of the loss chunks.
  Kind kind;
  size_t plan = 0; ///< Of the variant's.

  /// In the order in which leads are followed.
  bool operator<(const Lead &other) const {
    return std::tie(seconds, size, chunks, kind, plan) <
           std::tie(other.seconds, other.size, other.chunks, other.kind,
                    other.plan);
  }
};

/// What is known of the plans for one request.
class PlanSearch {
public:
  PlanSearch(ModuleOp joint, const PlanRequest &request, int64_t budgetBytes)
      : joint(joint), request(request), budgetBytes(budgetBytes) {}

  llvm::Error run(PlanResult &result);

private:
  llvm::Expected<StepVariant *> getVariant(int64_t microBatch, int64_t chunks);
  llvm::Expected<StepVariant *> getVariant(const Lead &lead) {
    return getVariant(sizes[lead.size], chunks[lead.size][lead.chunks]);
  }
  bool mayChoose(const StepVariant &variant) const {
    return variant.hasChoices() && request.recompute == "auto";
  }
  llvm::Error follow(const Lead &lead);
  void followShapes(const Lead &lead, StepVariant &variant);
  void addPlan(const Lead &from, StepVariant &variant, size_t end);
  llvm::Expected<bool> considerPlan(StepVariant &variant,
                                    const StepVariant::StoragePlan *plan);
  bool considerSmallest(StepVariant &variant, PlannedStep step);
  llvm::Error findSmallest(size_t size);
  llvm::Error findSmallest();

  double getBestSeconds() const {
    return best ? best->stepSeconds : std::numeric_limits<double>::infinity();
  }

  ModuleOp joint;
  const PlanRequest &request;
  int64_t budgetBytes;
  SmallVector<int64_t> sizes;               ///< Micro-batches, falling.
  SmallVector<SmallVector<int64_t>> chunks; ///< Of each size, rising.
  /// By micro-batch and loss chunks.
  std::map<std::pair<int64_t, int64_t>, StepVariant> variants;
  std::set<Lead> leads;
  std::optional<PlannedStep> best;     ///< The fastest that fits.
  std::optional<PlannedStep> smallest; ///< The smallest of all.
};
} // namespace

static StepOp getStep(ModuleOp module) {
  return *module.getOps<StepOp>().begin();
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

/// Adds what may come of a variant, and the shapes next to it.
void PlanSearch::followShapes(const Lead &lead, StepVariant &variant) {
  double seconds = variant.getKeepAllCost().seconds;
  if (lead.chunks + 1 < chunks[lead.size].size())
    leads.insert({seconds, lead.size, lead.chunks + 1, Lead::Shapes});
  if (lead.chunks == 0 && lead.size + 1 < sizes.size())
    leads.insert({seconds, lead.size + 1, 0, Lead::Shapes});
  if (!mayChoose(variant)) {
    leads.insert({seconds, lead.size, lead.chunks, Lead::KeepAll});
    return;
  }
  if (variant.getKeepAllBytes() <= budgetBytes)
    leads.insert({seconds, lead.size, lead.chunks, Lead::KeepAll});
  else
    seconds = variant.getLowerBoundSeconds(budgetBytes);
  if (seconds < std::numeric_limits<double>::infinity())
    leads.insert({seconds, lead.size, lead.chunks, Lead::Pool});
}

/// Adds the fastest of the first `end` plans that is within the budget, as the
/// solver counts.
void PlanSearch::addPlan(const Lead &from, StepVariant &variant, size_t end) {
  const std::vector<StepVariant::StoragePlan> &plans = variant.getPlans();
  while (end > 0 && plans[end - 1].peakBytes > budgetBytes)
    --end;
  if (end > 0)
    leads.insert({variant.getStepSeconds(plans[end - 1].passSeconds), from.size,
                  from.chunks, Lead::Plan, end - 1});
}

/// Carries a plan to its arena; whether it fits.
llvm::Expected<bool>
PlanSearch::considerPlan(StepVariant &variant,
                         const StepVariant::StoragePlan *plan) {
  llvm::Expected<PlannedStep> step = variant.evaluate(plan, budgetBytes);
  if (!step)
    return step.takeError();
  if (step->memory.arenaBytes > budgetBytes)
    return false;
  if (step->stepSeconds < getBestSeconds()) {
    step->lowerBoundSeconds = variant.getLowerBoundSeconds(budgetBytes);
    best = std::move(*step);
  }
  return true;
}

llvm::Error PlanSearch::follow(const Lead &lead) {
  llvm::Expected<StepVariant *> variant = getVariant(lead);
  if (!variant)
    return variant.takeError();
  if (lead.kind == Lead::Shapes) {
    followShapes(lead, **variant);
    return llvm::Error::success();
  }
  if (lead.kind == Lead::Pool) {
    addPlan(lead, **variant, (*variant)->getPlans().size());
    return llvm::Error::success();
  }
  llvm::Expected<bool> fits = considerPlan(
      **variant,
      lead.kind == Lead::Plan ? &(*variant)->getPlans()[lead.plan] : nullptr);
  if (!fits)
    return fits.takeError();
  if (!*fits && lead.kind == Lead::Plan)
    addPlan(lead, **variant, lead.plan);
  return llvm::Error::success();
}

/// Notes a plan of `variant` if it takes less memory than all before.
bool PlanSearch::considerSmallest(StepVariant &variant, PlannedStep step) {
  if (smallest && smallest->memory.arenaBytes <= step.memory.arenaBytes)
    return false;
  step.lowerBoundSeconds = variant.getLowerBoundSeconds(budgetBytes);
  smallest = std::move(step);
  return true;
}

/// The plan of a micro-batch that takes the least memory. What the solver
/// counts is no more than the arena; beyond that, the plain rule of recomputing
/// block by block may be smaller.
llvm::Error PlanSearch::findSmallest(size_t size) {
  StepVariant *owner = nullptr;
  for (int64_t count : llvm::reverse(chunks[size])) {
    llvm::Expected<StepVariant *> variant = getVariant(sizes[size], count);
    if (!variant)
      return variant.takeError();
    const StepVariant::StoragePlan *least = nullptr;
    if (mayChoose(**variant)) {
      // Less than a thousandth is not worth another try.
      int64_t wantedBytes = smallest ? smallest->memory.arenaBytes / 1000 * 999
                                     : std::numeric_limits<int64_t>::max();
      if ((*variant)->getFloorBytes() >= wantedBytes)
        continue;
      least = &(*variant)->getPlans().front();
      if (least->peakBytes >= wantedBytes)
        continue;
    }
    llvm::Expected<PlannedStep> step = (*variant)->evaluate(least);
    if (!step)
      return step.takeError();
    if (considerSmallest(**variant, std::move(*step)))
      owner = *variant;
  }
  if (!owner || !mayChoose(*owner))
    return llvm::Error::success();
  llvm::Expected<std::optional<PlannedStep>> blocks =
      owner->evaluateBlocks(smallest->memory.arenaBytes - 1);
  if (!blocks)
    return blocks.takeError();
  if (*blocks)
    considerSmallest(*owner, std::move(**blocks));
  return llvm::Error::success();
}

/// What the budget has to be at least. The smallest micro-batch needs least for
/// its activations, but larger ones have fewer parts of gradients to add, and
/// the whole batch no gradients where it can do without: where activations are
/// few, any may be the smallest.
llvm::Error PlanSearch::findSmallest() {
  for (size_t size : llvm::reverse(llvm::seq(sizes.size())))
    if (llvm::Error error = findSmallest(size))
      return error;
  return llvm::Error::success();
}

llvm::Error PlanSearch::run(PlanResult &result) {
  StepOp step = getStep(joint);
  int64_t length = step.getModel()->getSeqLen();
  sizes = getMicroBatches(step, request);
  for (int64_t size : sizes)
    chunks.push_back(getLossChunks(size * length, request));
  if (llvm::Error error = findSmallest())
    return error;
  result.minFeasibleBytes = smallest->memory.arenaBytes;
  leads.insert({0, 0, 0, Lead::Shapes});
  while (!leads.empty() && leads.begin()->seconds < getBestSeconds()) {
    Lead lead = *leads.begin();
    leads.erase(leads.begin());
    if (llvm::Error error = follow(lead))
      return error;
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

/// The same with another update, which a graph may still take; other modules
/// have theirs.
static void addOtherUpdate(PlanResult &result, ModuleOp module,
                           const PlanRequest &changed,
                           const std::string &text) {
  OwningOpRef<ModuleOp> other = module.clone();
  if (llvm::Error error = lowerToJoint(*other, changed))
    llvm::consumeError(std::move(error));
  else
    addRelaxation(result, *other, changed, text);
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
    changed.optimizer = "sgd";
    addOtherUpdate(result, module, changed, "--optimizer=sgd");
  }
  changed = request;
  if (isLarge(result, rt::Category::Gradients) && request.clip.value_or(true)) {
    changed.clip = false;
    addOtherUpdate(result, module, changed, "--clip=off");
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
  if (llvm::Error error =
          runPasses(*result.step.planned, [](OpPassManager &) {}))
    return error;
  if (llvm::Error error =
          runPasses(*result.step.runtime, [](OpPassManager &pm) {
            pm.addPass(rt::createVerifyMemory());
          }))
    return error;
  if (!result.feasible && !step.getPlan())
    addRelaxations(result, module, *joint, request);
  result.searchSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}
