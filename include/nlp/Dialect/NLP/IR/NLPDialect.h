//===- NLPDialect.h - The nlp dialect and its ops ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_NLPDIALECT_H
#define NLP_DIALECT_NLP_IR_NLPDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "nlp/Interfaces/OpInterfaces.h"

#include "nlp/Dialect/NLP/IR/NLPDialect.h.inc"
#include "nlp/Dialect/NLP/IR/NLPEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nlp/Dialect/NLP/IR/NLPAttrs.h.inc"

#include "nlp/Dialect/NLP/IR/NLPPlanInterface.h.inc"

namespace nlp {
/// True for ranked tensors whose sizes are static and 1 or more, of no more
/// than 2^56 bytes: sums of many of them stay within int64.
bool isSizedTensor(mlir::Type type);

/// Checks `plan`, if any, against the results of `op`.
llvm::LogicalResult verifyOpPlan(mlir::Operation *op);

/// The user-level place of an op, "h.3.attn": the innermost name of its
/// location, or "" where it has none.
llvm::StringRef getPlace(mlir::Location loc);

/// A plan that decides nothing: one device, one micro-batch of
/// `globalBatch` sequences, no loss chunks, exact numerics, no budget.
PlanAttr getTrivialPlan(mlir::MLIRContext *context, int64_t globalBatch);

namespace OpTrait {
template <typename ConcreteOp>
class VerifyOpPlan : public mlir::OpTrait::TraitBase<ConcreteOp, VerifyOpPlan> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyOpPlan(op);
  }
};
} // namespace OpTrait
} // namespace nlp

#define GET_OP_CLASSES
#include "nlp/Dialect/NLP/IR/NLPOps.h.inc"

#endif // NLP_DIALECT_NLP_IR_NLPDIALECT_H
