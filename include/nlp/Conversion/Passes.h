//===- Passes.h - Passes from one dialect to another ------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_CONVERSION_PASSES_H
#define NLP_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace nlp {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "nlp/Conversion/Passes.h.inc"
} // namespace nlp

#endif // NLP_CONVERSION_PASSES_H
