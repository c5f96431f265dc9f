//===- Storage.h - Whose bytes a value shows --------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors are values, but some of them never get bytes of their own. The
// lowering and the memory planner have to agree on which.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_STORAGE_H
#define NLP_DIALECT_NLP_IR_STORAGE_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace nlp {

/// True where the result of `op` is another view of the bytes of its first
/// operand: nothing runs.
bool isView(mlir::Operation *op);

/// True where `result` may be written over the bytes of `operand`, whose value
/// has no other use then: each element is read before it is written.
bool mayOverwrite(mlir::OpResult result, mlir::OpOperand &operand);

/// True where an op that runs writes `result`, whatever the place: it may be
/// computed in the place that it is stored to.
bool isPlaceable(mlir::OpResult result);

/// True where the op of `result`, which nothing else reads then, may add to the
/// bytes that a sum of such values has.
bool mayAddInPlace(mlir::OpResult result);

/// A range of the bytes of another value.
struct JoinedPart {
  mlir::OpResult whole;
  int64_t offsetBytes = 0;
};

/// What `part`, which nothing else reads then, may be computed inside of; none
/// where it has bytes of its own.
std::optional<JoinedPart> getJoin(mlir::OpResult part);

} // namespace nlp

#endif // NLP_DIALECT_NLP_IR_STORAGE_H
