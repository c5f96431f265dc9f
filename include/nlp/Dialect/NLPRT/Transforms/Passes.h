//===- Passes.h - Passes on nlprt programs ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLPRT_TRANSFORMS_PASSES_H
#define NLP_DIALECT_NLPRT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"

namespace nlp::rt {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nlp/Dialect/NLPRT/Transforms/Passes.h.inc"
} // namespace nlp::rt

#endif // NLP_DIALECT_NLPRT_TRANSFORMS_PASSES_H
