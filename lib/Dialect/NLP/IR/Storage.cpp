//===- Storage.cpp - Whose bytes a value shows ----------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLP/IR/Storage.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"

using namespace mlir;
using namespace nlp;

bool nlp::isView(Operation *op) {
  if (isa<ReshapeOp>(op))
    return true;
  // A range of the outermost dimension: nothing moves.
  if (auto slice = dyn_cast<SliceOp>(op)) {
    auto input = cast<RankedTensorType>(slice.getInput().getType());
    return llvm::all_of(input.getShape().take_front(slice.getDim()),
                        [](int64_t size) { return size == 1; });
  }
  // Pointwise readers repeat the small buffer themselves.
  return isa<BroadcastOp>(op) &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<ScalarDefinitionOpInterface>(user);
         });
}

bool nlp::mayOverwrite(OpResult result, OpOperand &operand) {
  Operation *op = result.getOwner();
  unsigned to = result.getResultNumber(), from = operand.getOperandNumber();
  if (result.getType() != operand.get().getType())
    return false;
  if (isa<ScalarDefinitionOpInterface>(op))
    return true;
  if (isa<RopeOp, DropoutOp, LayerNormOp, RMSNormOp>(op))
    return to == 0 && from == 0;
  if (isa<LayerNormGradOp, RMSNormGradOp>(op))
    return to == 0 && from <= 1;
  if (auto loss = dyn_cast<CrossEntropyGradOp>(op))
    return from == loss.getLogitsMutable().getOperandNumber();
  // Parameter and first moment by themselves, then the second moment: gradients
  // stand between them.
  if (isa<AdamWOp, SGDOp>(op))
    return to == 0 ? from == 0 : from == to + 1;
  return false;
}
