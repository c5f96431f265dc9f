//===- PlanPageText.h - The fixed text of a plan's page ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_PIPELINES_PLANPAGETEXT_H
#define NLP_LIB_PIPELINES_PLANPAGETEXT_H

namespace nlp {

/// PlanPage/plan.html with its style and code in place; the plan goes where
/// "/* plan.json */" stands.
extern const char *const planPageText;

} // namespace nlp

#endif // NLP_LIB_PIPELINES_PLANPAGETEXT_H
