//===- CompareRuns.h - Differences between two runs -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_REFERENCE_COMPARERUNS_H
#define NLP_REFERENCE_COMPARERUNS_H

#include "nlp/Reference/TrainingRun.h"
#include "llvm/Support/raw_ostream.h"

namespace nlp::ref {

/// Compares losses and gradient norms step by step, the first step's gradients
/// and the final parameters; prints what differs by more than `tolerance`, and
/// the largest difference. Tensors are compared by the norm of their
/// difference, gradients also relative to a thousandth of all gradients. True
/// where all is within the tolerance; 0 asks for the same bits.
bool compareRuns(const RunResult &got, const RunResult &wanted,
                 double tolerance, llvm::raw_ostream &os);

} // namespace nlp::ref

#endif // NLP_REFERENCE_COMPARERUNS_H
