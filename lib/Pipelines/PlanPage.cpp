//===- PlanPage.cpp - A plan as a page for people to look at ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page is a fixed text (PlanPage/) with the plan as JSON in one place of
// it. Names of models and layers come from outside: they occur in the JSON
// only, as ASCII without characters that mean something in HTML, and the page's
// code shows them as text. Nothing in it depends on the clock or on the machine
// that plans: the same plan is the same bytes.
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/PlanPage.h"
#include "PlanPageText.h"
#include "PlanTimeline.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace nlp;
using Json = nlohmann::ordered_json;

/// Names are cut here: a page of hostile names stays a page.
static constexpr size_t maxNameBytes = 120;

static StepOp getStep(const PlanResult &result) {
  return *result.step.planned.get().getOps<StepOp>().begin();
}

static std::string shorten(StringRef name) {
  return name.size() <= maxNameBytes
             ? name.str()
             : (name.take_front(maxNameBytes) + "…").str();
}

namespace {
/// Strings by number: a column names its op and its layer in two numbers.
class NameTable {
public:
  size_t add(StringRef name) {
    auto [it, isNew] = numbers.insert({shorten(name), names.size()});
    if (isNew)
      names.push_back(it->first().str());
    return it->second;
  }

  const std::vector<std::string> &getNames() const { return names; }

private:
  llvm::StringMap<size_t> numbers;
  std::vector<std::string> names;
};
} // namespace

static StringRef getCategoryName(size_t category) {
  return rt::stringifyCategory(static_cast<rt::Category>(category));
}

/// The layer of an op by its user-level place, or its routine.
static std::string getLayer(Operation *op) {
  StringRef place = getPlace(op->getLoc());
  return place.empty() ? op->getParentOfType<rt::RoutineOp>().getSymName().str()
                       : place.str();
}

/// One list for each figure of the columns: shorter than a list of objects.
static Json renderColumns(const PlanTimeline &timeline) {
  NameTable names;
  Json launch = Json::array(), op = Json::array(), layer = Json::array(),
       repeats = Json::array(), recomputed = Json::array();
  for (const TimelineColumn &column : timeline.columns) {
    launch.push_back(column.launch);
    op.push_back(names.add(getLaunchName(column.op)));
    layer.push_back(names.add(getLayer(column.op)));
    repeats.push_back(isRecomputation(column.op) ? 1 : 0);
    recomputed.push_back(column.recomputed);
  }
  Json bytes = Json::object();
  for (size_t category = 0; category <= rt::getMaxEnumValForCategory();
       ++category) {
    Json list = Json::array();
    bool isUsed = false;
    for (const TimelineColumn &column : timeline.columns) {
      list.push_back(column.bytes[category]);
      isUsed |= column.bytes[category] != 0;
    }
    if (isUsed)
      bytes[getCategoryName(category).str()] = std::move(list);
  }
  return {{"launch", launch},         {"op", op},
          {"layer", layer},           {"is_recomputed", repeats},
          {"recomputed", recomputed}, {"bytes", bytes},
          {"names", names.getNames()}};
}

static Json renderTimeline(const PlanResult &result) {
  rt::ProgramOp program =
      *result.step.runtime.get().getOps<rt::ProgramOp>().begin();
  PlanTimeline timeline = buildTimeline(program, result.step.memory);
  Json phases = Json::array(), largest = Json::array();
  for (const TimelinePhase &phase : timeline.phases)
    phases.push_back({{"name", phase.name},
                      {"micro_batch", phase.microBatch},
                      {"begin", phase.begin},
                      {"end", phase.end}});
  for (const TimelineValue &value : timeline.largest)
    largest.push_back(
        {{"name", shorten(value.name)},
         {"op", shorten(value.op)},
         {"type", shorten(value.type)},
         {"category", rt::stringifyCategory(value.category).str()},
         {"bytes", value.bytes},
         {"live", value.live},
         {"intervals", value.intervals}});
  return {{"launches", timeline.launches},
          {"launches_of_column", timeline.launchesOfColumn},
          {"peak_column", timeline.peakColumn},
          {"recomputed_launches", timeline.recomputed},
          {"columns", renderColumns(timeline)},
          {"phases", phases},
          {"largest", largest}};
}

/// `place` with a star for each number: "h.3.attn" and "h.4.attn" are alike.
static std::string generalizePlace(StringRef place) {
  SmallVector<StringRef> parts;
  place.split(parts, '.');
  for (StringRef &part : parts)
    if (!part.empty() && llvm::all_of(part, llvm::isDigit))
      part = "*";
  return llvm::join(parts, ".");
}

/// Results that the plan does not keep, those of like layers in one row, the
/// largest first.
static Json renderRecomputed(const PlanResult &result) {
  struct Row {
    std::string place, op;
    int64_t results = 0, bytes = 0;
  };
  std::vector<Row> rows;
  llvm::StringMap<size_t> numbers;
  getStep(result).walk([&](PlannedOpInterface planned) {
    OpPlanAttr plan = planned.getOpPlan();
    if (!plan)
      return;
    std::string place = generalizePlace(getPlace(planned.getLoc()));
    std::string op = planned->getName().stripDialect().str();
    for (auto [kind, type] :
         llvm::zip(plan.getStorage(), planned->getResultTypes())) {
      if (kind != StorageKind::Recompute)
        continue;
      auto [it, isNew] = numbers.insert({op + " " + place, rows.size()});
      if (isNew)
        rows.push_back({place, op});
      rows[it->second].results += 1;
      rows[it->second].bytes += getTensorBytes(type);
    }
  });
  llvm::stable_sort(
      rows, [](const Row &a, const Row &b) { return a.bytes > b.bytes; });
  Json list = Json::array();
  for (const Row &row : rows)
    list.push_back({{"layer", shorten(row.place)},
                    {"op", row.op},
                    {"results", row.results},
                    {"bytes", row.bytes}});
  return list;
}

static Json renderFrontierRows(const std::vector<FrontierRow> &frontier) {
  Json rows = Json::array();
  for (const FrontierRow &row : frontier)
    rows.push_back({{"bytes", row.peakBytes},
                    {"seconds", row.stepSeconds},
                    {"overhead", row.overhead},
                    {"lower_bound_seconds", row.lowerBoundSeconds}});
  return rows;
}

static Json renderPage(const PlanResult &result,
                       const std::vector<FrontierRow> &frontier) {
  const PlannedStep &step = result.step;
  Json facts = Json::array(), breakdown = Json::object();
  for (auto &[name, value] : listPlanFacts(result))
    facts.push_back(Json::array({name, value}));
  for (auto [category, bytes] : llvm::enumerate(step.memory.bytes))
    breakdown[getCategoryName(category).str()] = bytes;
  breakdown["fragmentation"] = step.memory.fragmentationBytes;
  return {{"version", 1},
          {"model", shorten(getStep(result).getModel()->getName())},
          {"feasible", result.feasible},
          {"budget_bytes", result.budgetBytes},
          {"peak_bytes", step.memory.arenaBytes},
          {"peak_at", shorten(getPeakPlace(step.memory))},
          {"min_feasible_bytes", result.minFeasibleBytes},
          {"step_seconds", step.stepSeconds},
          {"keep_all_seconds", step.getKeepAllSeconds()},
          {"lower_bound_seconds", step.lowerBoundSeconds},
          {"gap", getGap(step)},
          {"facts", facts},
          {"breakdown", breakdown},
          {"relaxations", result.relaxations},
          {"recomputed", renderRecomputed(result)},
          {"timeline", renderTimeline(result)},
          {"frontier", renderFrontierRows(frontier)}};
}

/// JSON within HTML: nothing in it can end the element that it stands in.
static std::string escape(StringRef json) {
  std::string text;
  text.reserve(json.size());
  for (char c : json)
    if (c == '<' || c == '>' || c == '&')
      text += llvm::formatv("\\u{0:x-4}", static_cast<unsigned>(c)).str();
    else
      text += c;
  return text;
}

std::string nlp::renderPlanPage(const PlanResult &result,
                                const std::vector<FrontierRow> &frontier) {
  // A model may be named after a folder whose name is no UTF-8.
  std::string data =
      renderPage(result, frontier)
          .dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  auto [before, after] = StringRef(planPageText).split("/* plan.json */");
  return (before + escape(data) + after).str();
}
