//===- Storage.cpp - Whose bytes a value shows ----------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLP/IR/Storage.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/IR/StorageInterface.h"

using namespace mlir;
using namespace nlp;

bool nlp::isView(Operation *op) {
  auto storage = dyn_cast<StorageOpInterface>(op);
  return storage && storage.isView();
}

bool nlp::mayOverwrite(OpResult result, OpOperand &operand) {
  Operation *op = result.getOwner();
  if (result.getType() != operand.get().getType())
    return false;
  auto storage = dyn_cast<StorageOpInterface>(op);
  return isa<ScalarDefinitionOpInterface>(op) ||
         (storage && storage.mayOverwrite(result, operand));
}

bool nlp::isPlaceable(OpResult result) {
  return result && isa<RecomputeOpInterface>(result.getOwner()) &&
         !isView(result.getOwner());
}

bool nlp::mayAddInPlace(OpResult result) {
  if (!isPlaceable(result) || !result.hasOneUse())
    return false;
  auto storage = dyn_cast<StorageOpInterface>(result.getOwner());
  return storage && storage.canAdd();
}

std::optional<JoinedPart> nlp::getJoin(OpResult part) {
  if (!isPlaceable(part) || !part.hasOneUse())
    return std::nullopt;
  OpOperand &use = *part.getUses().begin();
  auto storage = dyn_cast<StorageOpInterface>(use.getOwner());
  std::optional<int64_t> offset =
      storage ? storage.getRangeOffset(use) : std::nullopt;
  if (!offset)
    return std::nullopt;
  return JoinedPart{use.getOwner()->getResult(0), *offset};
}
