//===- PlanPage.h - A plan as a page for people to look at ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_PLANPAGE_H
#define NLP_PIPELINES_PLANPAGE_H

#include "nlp/Pipelines/PlanFrontier.h"
#include <string>
#include <vector>

namespace nlp {

/// One HTML file that needs nothing else: the plan's figures, the memory
/// timeline of its step, `frontier` with this plan in it, and the largest
/// values at the peak. `frontier` may be empty: the model came with its plan.
std::string renderPlanPage(const PlanResult &result,
                           const std::vector<FrontierRow> &frontier);

} // namespace nlp

#endif // NLP_PIPELINES_PLANPAGE_H
