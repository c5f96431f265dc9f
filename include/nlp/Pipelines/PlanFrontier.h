//===- PlanFrontier.h - Plans for all budgets at once -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_PLANFRONTIER_H
#define NLP_PIPELINES_PLANFRONTIER_H

#include "nlp/Pipelines/PlanSession.h"
#include <string>
#include <vector>

namespace nlp {

/// The fastest plan for all budgets from `budgetBytes` to the next row's.
struct FrontierRow {
  int64_t budgetBytes = 0;
  int64_t peakBytes = 0;
  double stepSeconds = 0;
  /// Time over that of the same shapes with nothing recomputed, as a share.
  double overhead = 0;
  double lowerBoundSeconds = 0;
};

/// All plans that are not dominated, from the smallest to the fastest. Ignores
/// the budget of `request`.
llvm::Expected<std::vector<FrontierRow>>
planFrontier(mlir::ModuleOp module, const PlanRequest &request);

/// The rows as CSV, with a header.
std::string renderFrontier(const std::vector<FrontierRow> &rows);

} // namespace nlp

#endif // NLP_PIPELINES_PLANFRONTIER_H
