//===- PlanReport.h - A plan as JSON and as a table ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_PLANREPORT_H
#define NLP_PIPELINES_PLANREPORT_H

#include "nlp/Pipelines/PlanSession.h"
#include <string>
#include <utility>
#include <vector>

namespace nlp {

/// As `--schedule` names it; "none" without a pipeline.
std::string getScheduleName(ScheduleAttr schedule);

/// What a plan chose and what it comes to, in words: a name and its value.
using PlanFacts = std::vector<std::pair<std::string, std::string>>;
PlanFacts listPlanFacts(const PlanResult &result);

/// (Step - bound) / bound.
double getGap(const PlannedStep &step);

/// The op at the peak by its user-level place, or by its routine where it has
/// none.
std::string getPeakPlace(const rt::MemoryReport &memory);

/// plan.json, version 1. A rendering: nothing reads it back.
std::string renderPlanJson(const PlanResult &result);

/// The same for people: what was chosen, the peak and what fills it, the
/// predicted step time, bound and gap.
std::string renderPlanTable(const PlanResult &result);

/// Why nothing fits: the smallest budget, what fills the peak, what would help.
std::string renderMisfit(const PlanResult &result);

} // namespace nlp

#endif // NLP_PIPELINES_PLANREPORT_H
