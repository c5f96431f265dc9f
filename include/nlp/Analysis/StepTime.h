//===- StepTime.h - Predicted time of straight-line code ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_ANALYSIS_STEPTIME_H
#define NLP_ANALYSIS_STEPTIME_H

#include "mlir/IR/Block.h"
#include "nlp/Machine/Machine.h"

namespace nlp {

/// Work of the ops of a block by their cost models, once each.
struct BlockCost {
  double seconds = 0;     ///< Roofline of each op, one after the other.
  double matrixFlops = 0; ///< On matrix units.

  BlockCost &operator+=(const BlockCost &other) {
    seconds += other.seconds;
    matrixFlops += other.matrixFlops;
    return *this;
  }
};

/// Each op takes the longer of its arithmetic (at the machine's rate for matrix
/// or for other work) and its memory traffic, and at least a launch (Williams,
/// Waterman, Patterson: Roofline, CACM 2009).
BlockCost getBlockCost(mlir::Block &block, const Machine &machine);

/// Seconds of one run of `op` by the same model; 0 for views and for ops
/// without costs.
double getOpSeconds(mlir::Operation *op, const Machine &machine);

} // namespace nlp

#endif // NLP_ANALYSIS_STEPTIME_H
