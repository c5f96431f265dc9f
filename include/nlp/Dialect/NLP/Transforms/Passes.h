//===- Passes.h - Passes on the nlp dialect ---------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_TRANSFORMS_PASSES_H
#define NLP_DIALECT_NLP_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {

/// The update rules that `-nlp-add-optimizer` knows.
enum class OptimizerKind { AdamW, SGD };

/// The states of a step whose invariants `-nlp-verify-phase` checks.
enum class Phase { Graph, Joint, Planned, Applied };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nlp/Dialect/NLP/Transforms/Passes.h.inc"
} // namespace nlp

#endif // NLP_DIALECT_NLP_TRANSFORMS_PASSES_H
