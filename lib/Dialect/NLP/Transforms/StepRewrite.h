//===- StepRewrite.h - What passes on steps share ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_TRANSFORMS_STEPREWRITE_H
#define NLP_DIALECT_NLP_TRANSFORMS_STEPREWRITE_H

#include "mlir/IR/BuiltinOps.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {

/// Calls `rewrite` with a copy of the step of `module`, if it has one, and puts
/// the copy in place when that succeeded. On failure the module is as it was.
/// The copy stands outside of the module: `rewrite` looks up parameters in
/// `module`.
llvm::LogicalResult
rewriteStep(mlir::ModuleOp module,
            llvm::function_ref<llvm::LogicalResult(StepOp)> rewrite);

/// Calls `edit` with the step of `module` itself, if it has one: no copy, for
/// what checks everything before its first change.
llvm::LogicalResult
editStep(mlir::ModuleOp module,
         llvm::function_ref<llvm::LogicalResult(StepOp)> edit);

/// The segments of `step` of one kind.
llvm::SmallVector<SegmentOp> getSegments(StepOp step, SegmentKind kind);

/// The only segment of that kind, or an error on the step.
llvm::FailureOr<SegmentOp> getOnlySegment(StepOp step, SegmentKind kind);

/// The ops of a segment.
inline mlir::Block &getOps(SegmentOp segment) {
  return segment.getBody().front();
}

/// The turn of a forward_backward segment.
TurnOp getTurn(SegmentOp segment);

/// True for ops that only make a value out of what the step is given
/// (parameters, inputs, scalars, constants): making it again costs next to
/// nothing, and gives the same value until the update.
bool isSource(mlir::Operation *op);

/// Erases ops of `block` that nothing needs.
void eraseDeadOps(mlir::Block &block);

} // namespace nlp

#endif // NLP_DIALECT_NLP_TRANSFORMS_STEPREWRITE_H
