//===- LossCosts.cpp - Costs and policies of losses -----------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

int64_t CrossEntropyOp::getFlops() {
  // Maximum, subtraction, exponential and sum; a logarithm for each row.
  return (functionFlops + 3) * getNumElements(getLogits()) +
         (functionFlops + 3) * getNumRows(getLogits());
}
PrecisionPolicy CrossEntropyOp::getPrecisionPolicy() {
  return PrecisionPolicy::KeepF32;
}

int64_t CrossEntropyGradOp::getFlops() {
  return (functionFlops + 2) * getNumElements(getLogits()) +
         2 * getNumRows(getLogits());
}
PrecisionPolicy CrossEntropyGradOp::getPrecisionPolicy() {
  return PrecisionPolicy::KeepF32;
}
