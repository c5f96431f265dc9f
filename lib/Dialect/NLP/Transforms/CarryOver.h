//===- CarryOver.h - Hand values from segment to segment --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_TRANSFORMS_CARRYOVER_H
#define NLP_DIALECT_NLP_TRANSFORMS_CARRYOVER_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {

/// Serves the uses in `ops`, the body of a segment of `step`, of values that
/// ops of other segments make, as ops have after they were moved: through slots
/// `@saved.<n>` which are stored right behind that op, or by making the value
/// again where it is a source (parameters, inputs, scalars, constants).
void carryOver(StepOp step, mlir::Block &ops);

} // namespace nlp

#endif // NLP_DIALECT_NLP_TRANSFORMS_CARRYOVER_H
