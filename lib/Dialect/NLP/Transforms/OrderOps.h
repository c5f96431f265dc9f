//===- OrderOps.h - Carry out an order and its recomputations ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_TRANSFORMS_ORDEROPS_H
#define NLP_DIALECT_NLP_TRANSFORMS_ORDEROPS_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {

/// True for a result that the plan marks `recompute`.
bool isRecomputed(mlir::Value value);

/// A detached clone of `op` without a plan. Its location keeps the place and
/// says that it is a recomputation.
mlir::Operation *cloneForRecompute(mlir::Operation *op);

/// Checks the order of `segment`, if it has one. Fails where an entry is
/// missing or wrong, where a value is used before it is computed, where
/// accesses to the same parameter, state or slot change places, or where an op
/// is recomputed without `allowRecompute`.
llvm::LogicalResult checkOrder(SegmentOp segment, bool allowRecompute);

/// Brings the ops of `segment` into its order, which was checked, and erases
/// it. Entries with an instance of 1 or more become clones, and what runs in
/// the backward pass reads the latest instance of a value that is marked
/// `recompute`.
void applyOrder(SegmentOp segment);

} // namespace nlp

#endif // NLP_DIALECT_NLP_TRANSFORMS_ORDEROPS_H
