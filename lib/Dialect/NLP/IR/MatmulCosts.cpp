//===- MatmulCosts.cpp - Costs and policies of matrix products ------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

int64_t LinearOp::getFlops() {
  // Adding the bias is one more flop for each element.
  int64_t inner = 2 * getShape(getInput()).back() + (getBias() ? 1 : 0);
  return multiplyCapped({inner, getNumElements(getResult())});
}
bool LinearOp::isMatrixWork() { return true; }
PrecisionPolicy LinearOp::getPrecisionPolicy() {
  return PrecisionPolicy::Lowerable;
}

int64_t LinearWeightGradOp::getFlops() {
  return multiplyCapped(
      {2, getNumRows(getInput()), getNumElements(getResult())});
}
bool LinearWeightGradOp::isMatrixWork() { return true; }
PrecisionPolicy LinearWeightGradOp::getPrecisionPolicy() {
  return PrecisionPolicy::Lowerable;
}

int64_t EmbeddingOp::getFlops() { return 0; }
int64_t EmbeddingOp::getBytesRead() {
  // The rows that are looked up, not the whole table.
  return getTensorBytes({getResult().getType(), getIds().getType()});
}
PrecisionPolicy EmbeddingOp::getPrecisionPolicy() {
  return PrecisionPolicy::FollowsInputs;
}

int64_t EmbeddingGradOp::getFlops() { return getNumElements(getResultGrad()); }
PrecisionPolicy EmbeddingGradOp::getPrecisionPolicy() {
  return PrecisionPolicy::KeepF32;
}
