//===- GradientUpdates.h - What an update does with a gradient --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gradient takes as many bytes as its parameter. Where the update of a
// parameter needs no other gradient, it may run in the backward pass, and the
// gradient need not outlive it.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_ANALYSIS_GRADIENTUPDATES_H
#define NLP_ANALYSIS_GRADIENTUPDATES_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include <vector>

namespace nlp {

/// The part of an update segment that needs one gradient and no other.
struct GradientUpdate {
  SlotOp gradient;
  /// In order. Beside each other they use what any segment can read: scalars
  /// of the training loop, and what nothing assigns.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The op of the forward and backward pass behind which `ops` may run: the
  /// last that adds to the gradient or uses a value of what `ops` assign.
  mlir::Operation *behind = nullptr;
};

/// The only segment of `step` of a kind, or null.
SegmentOp findSegment(StepOp step, SegmentKind kind);

/// One part for each gradient of `step`. None at all where they may not run in
/// the backward pass: a gradient is needed together with others, as for
/// clipping by the global norm; parts touch what others assign; or gradients
/// are sums over several micro-batches.
std::vector<GradientUpdate> findGradientUpdates(StepOp step);

} // namespace nlp

#endif // NLP_ANALYSIS_GRADIENTUPDATES_H
