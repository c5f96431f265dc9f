//===- PlanReport.cpp - A plan as JSON and as a table ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Import/LoadModel.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace nlp;
using Json = nlohmann::ordered_json;

static StepOp getStep(const PlanResult &result) {
  return *result.step.planned.get().getOps<StepOp>().begin();
}

double nlp::getGap(const PlannedStep &step) {
  return step.lowerBoundSeconds > 0
             ? (step.stepSeconds - step.lowerBoundSeconds) /
                   step.lowerBoundSeconds
             : 0.0;
}

/// Sequences of a step times tokens, a second.
static double getTokensPerSecond(const PlanResult &result) {
  ModelAttr model = *getStep(result).getModel();
  double tokens =
      static_cast<double>(model.getGlobalBatch()) * model.getSeqLen();
  return result.step.stepSeconds > 0 ? tokens / result.step.stepSeconds : 0.0;
}

/// First and last user-level place of the forward pass, kept and recomputed
/// bytes between it and the backward pass.
static Json renderStage(const PlanResult &result) {
  std::string first, last;
  int64_t recomputed = 0, kept = 0;
  getStep(result).walk([&](SegmentOp segment) {
    if (segment.getKind() != SegmentKind::ForwardBackward &&
        segment.getKind() != SegmentKind::Forward)
      return;
    for (Operation &op : segment.getBody().front()) {
      if (isa<TurnOp>(op))
        break;
      StringRef place = getPlace(op.getLoc());
      if (first.empty())
        first = place;
      if (!place.empty() && isa<CostModelOpInterface>(op))
        last = place;
      auto planned = dyn_cast<PlannedOpInterface>(op);
      OpPlanAttr plan = planned ? planned.getOpPlan() : OpPlanAttr();
      if (!plan)
        continue;
      for (auto [kind, type] :
           llvm::zip(plan.getStorage(), op.getResultTypes()))
        if (kind == StorageKind::Recompute)
          recomputed += getTensorBytes(type);
    }
  });
  result.step.runtime.get().walk([&](rt::AllocOp alloc) {
    if (alloc.getCategory() == rt::Category::Activations)
      kept += rt::getBufferBytes(cast<MemRefType>(alloc.getResult().getType()));
  });
  return {{"first", first},       {"last", last},
          {"kept_bytes", kept},   {"recomputed_bytes", recomputed},
          {"offloaded_bytes", 0}, {"compressed_bytes", 0}};
}

std::string nlp::getScheduleName(ScheduleAttr schedule) {
  if (schedule.getKind() == ScheduleKind::OneFOneB)
    return "1f1b";
  std::string name = stringifyScheduleKind(schedule.getKind()).str();
  std::replace(name.begin(), name.end(), '_', '-');
  if (schedule.getKind() == ScheduleKind::Interleaved)
    name += ":" + std::to_string(schedule.getChunks());
  return name;
}

static Json renderDecisions(const PlanResult &result) {
  StepOp step = getStep(result);
  PlanAttr plan = *step.getPlan();
  int64_t ranks = plan.getMesh().getDp();
  return {{"dp", plan.getMesh().getDp()},
          {"tp", plan.getMesh().getTp()},
          {"pp", plan.getMesh().getPp()},
          {"cp", plan.getMesh().getCp()},
          {"ep", plan.getMesh().getEp()},
          {"zero", plan.getZero()},
          {"sequence_parallel", plan.getSequenceParallel()},
          {"micro_batch", plan.getMicroBatch()},
          {"micro_batches",
           step.getModel()->getGlobalBatch() / (plan.getMicroBatch() * ranks)},
          {"schedule", getScheduleName(plan.getSchedule())},
          {"numerics", stringifyNumerics(plan.getNumerics()).str()},
          {"loss_chunks", countLossChunks(step)},
          {"update_in_backward", plan.getUpdateInBackward()},
          {"stages", Json::array({renderStage(result)})}};
}

std::string nlp::getPeakPlace(const rt::MemoryReport &memory) {
  if (!memory.at)
    return "";
  if (StringRef place = getPlace(memory.at->getLoc()); !place.empty())
    return place.str();
  return memory.at->getParentOfType<rt::RoutineOp>().getSymName().str();
}

static Json renderRanks(const PlanResult &result) {
  const rt::MemoryReport &memory = result.step.memory;
  Json breakdown;
  for (auto [category, bytes] : llvm::enumerate(memory.bytes))
    breakdown[rt::stringifyCategory(static_cast<rt::Category>(category))
                  .str()] = bytes;
  breakdown["fragmentation"] = memory.fragmentationBytes;
  return Json::array({{{"stage", 0},
                       {"count", 1},
                       {"peak_bytes", memory.arenaBytes},
                       {"at", getPeakPlace(memory)},
                       {"breakdown", breakdown}}});
}

std::string nlp::renderPlanJson(const PlanResult &result) {
  const PlannedStep &step = result.step;
  Json json = {{"version", 1},
               {"model", getStep(result).getModel()->getName().str()},
               {"parameters", countParameters(step.planned.get())},
               {"feasible", result.feasible},
               {"budget_bytes", result.budgetBytes},
               {"peak_bytes", step.memory.arenaBytes},
               {"min_feasible_bytes", result.minFeasibleBytes},
               {"step_seconds", step.stepSeconds},
               {"lower_bound_seconds", step.lowerBoundSeconds},
               {"gap", getGap(step)},
               {"search_seconds", result.searchSeconds},
               {"tokens_per_second", getTokensPerSecond(result)},
               {"model_flops_per_step", step.keepAllCost->matrixFlops},
               {"hardware_flops_per_step", step.hardwareFlops},
               {"decisions", renderDecisions(result)},
               {"ranks", renderRanks(result)}};
  // A model may be named after a folder whose name is no UTF-8.
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

static void line(std::string &text, StringRef name, const llvm::Twine &value) {
  text += llvm::formatv("  {0,-22} {1}\n", name, value.str()).str();
}

/// The categories of the peak, one a line, largest first.
static void addBreakdown(std::string &text, const rt::MemoryReport &memory) {
  SmallVector<std::pair<std::string, int64_t>> parts;
  for (auto [category, bytes] : llvm::enumerate(memory.bytes))
    parts.push_back(
        {rt::stringifyCategory(static_cast<rt::Category>(category)).str(),
         bytes});
  parts.push_back({"fragmentation", memory.fragmentationBytes});
  llvm::stable_sort(
      parts, [](const auto &a, const auto &b) { return a.second > b.second; });
  for (auto &[name, bytes] : parts)
    if (bytes != 0)
      line(text, "  " + name,
           llvm::formatv("{0,-12} {1,5:P1}", formatSize(bytes),
                         static_cast<double>(bytes) / memory.arenaBytes)
               .str());
}

PlanFacts nlp::listPlanFacts(const PlanResult &result) {
  StepOp step = getStep(result);
  ModelAttr model = *step.getModel();
  PlanAttr plan = *step.getPlan();
  const PlannedStep &planned = result.step;
  PlanFacts facts;
  auto add = [&](const char *name, const llvm::Twine &value) {
    facts.push_back({name, value.str()});
  };
  add("model", model.getName().getValue() + ", " +
                   llvm::Twine(countParameters(planned.planned.get())) +
                   " parameters");
  add("batch", llvm::Twine(model.getGlobalBatch()) + " sequences of " +
                   llvm::Twine(model.getSeqLen()) + " tokens, micro-batch " +
                   llvm::Twine(plan.getMicroBatch()));
  add("numerics", stringifyNumerics(plan.getNumerics()));
  if (plan.getUpdateInBackward())
    add("updates", "in the backward pass");
  add("budget", formatSize(result.budgetBytes));
  add("peak", formatSize(planned.memory.arenaBytes) + " (" +
                  llvm::Twine(planned.memory.arenaBytes) + " bytes) at " +
                  getPeakPlace(planned.memory));
  add("step", llvm::formatv("{0:F4} s predicted, {1:F0} tokens/s",
                            planned.stepSeconds, getTokensPerSecond(result))
                  .str());
  add("lower bound",
      llvm::formatv("{0:F4} s (these shapes and this order), gap {1:P2}",
                    planned.lowerBoundSeconds, getGap(planned))
          .str());
  return facts;
}

std::string nlp::renderPlanTable(const PlanResult &result) {
  std::string text = "plan\n";
  for (auto &[name, value] : listPlanFacts(result)) {
    line(text, name, value);
    if (name == "peak")
      addBreakdown(text, result.step.memory);
  }
  return text;
}

std::string nlp::renderMisfit(const PlanResult &result) {
  std::string text = "the step does not fit: the budget is " +
                     formatSize(result.budgetBytes) + " (" +
                     std::to_string(result.budgetBytes) +
                     " bytes), the smallest that would do "
                     "under the same constraints is " +
                     formatSizeUp(result.minFeasibleBytes) + " (" +
                     std::to_string(result.minFeasibleBytes) + " bytes)\n";
  text += "what fills the peak, at " + getPeakPlace(result.step.memory) + ":\n";
  addBreakdown(text, result.step.memory);
  text += "what would help:";
  for (const std::string &relaxation : result.relaxations)
    text += "\n  " + relaxation;
  return text;
}
