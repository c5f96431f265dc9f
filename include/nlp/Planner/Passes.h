//===- Passes.h - The planner as a pass ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PLANNER_PASSES_H
#define NLP_PLANNER_PASSES_H

#include "mlir/Pass/Pass.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nlp/Planner/Passes.h.inc"
} // namespace nlp

#endif // NLP_PLANNER_PASSES_H
