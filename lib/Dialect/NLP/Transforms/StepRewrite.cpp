//===- StepRewrite.cpp - What passes on steps share -----------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepRewrite.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nlp;

LogicalResult nlp::editStep(ModuleOp module,
                            function_ref<LogicalResult(StepOp)> edit) {
  auto steps = llvm::to_vector(module.getOps<StepOp>());
  if (steps.empty())
    return success();
  if (steps.size() > 1)
    return steps[1].emitOpError("expected one step in a module");
  return edit(steps.front());
}

LogicalResult nlp::rewriteStep(ModuleOp module,
                               function_ref<LogicalResult(StepOp)> rewrite) {
  return editStep(module, [&](StepOp step) -> LogicalResult {
    OwningOpRef<StepOp> copy(step.clone());
    if (failed(rewrite(*copy)))
      return failure();
    OpBuilder(step).insert(copy.release());
    step.erase();
    return success();
  });
}

SmallVector<SegmentOp> nlp::getSegments(StepOp step, SegmentKind kind) {
  SmallVector<SegmentOp> segments;
  for (SegmentOp segment : step.getBody().front().getOps<SegmentOp>())
    if (segment.getKind() == kind)
      segments.push_back(segment);
  return segments;
}

FailureOr<SegmentOp> nlp::getOnlySegment(StepOp step, SegmentKind kind) {
  SmallVector<SegmentOp> segments = getSegments(step, kind);
  if (segments.size() != 1)
    return step.emitOpError("expected one ")
           << stringifySegmentKind(kind) << " segment, but got "
           << segments.size();
  return segments.front();
}

TurnOp nlp::getTurn(SegmentOp segment) {
  auto turns = getOps(segment).getOps<TurnOp>();
  assert(!turns.empty() && "only forward_backward segments have a turn");
  return *turns.begin();
}

bool nlp::isSource(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumResults() > 0 &&
         wouldOpBeTriviallyDead(op);
}

void nlp::eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
