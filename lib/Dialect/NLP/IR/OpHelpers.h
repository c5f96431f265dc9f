//===- OpHelpers.h - Shared by the interface methods of ops -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_OPHELPERS_H
#define NLP_DIALECT_NLP_IR_OPHELPERS_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"

namespace nlp {

/// The shape of `value`, which is a tensor.
inline llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// How many elements `value`, a tensor, has.
inline int64_t getNumElements(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getNumElements();
}

/// Fails with an error unless all `values` are tensors that ops may work on.
/// For result types, which are inferred before operands are verified.
llvm::LogicalResult expectTensors(std::optional<mlir::Location> loc,
                                  mlir::ValueRange values);

/// The product of numbers of 0 or more; the largest int64 where it is above.
int64_t multiplyCapped(std::initializer_list<int64_t> factors);

/// Product of all dimensions of `value` but the last.
inline int64_t getNumRows(mlir::Value value) {
  int64_t width = getShape(value).empty() ? 1 : getShape(value).back();
  return width == 0 ? 0 : getNumElements(value) / width;
}

/// Flops that stand for one exp, log, tanh, erf, square root or division: a
/// polynomial of about that length.
inline constexpr int64_t functionFlops = 10;

/// Fails with an error where any result but the first has a gradient: those
/// are statistics that only gradients read.
llvm::LogicalResult expectFirstGradientOnly(mlir::Operation *op,
                                            mlir::ValueRange resultGradients);

/// Every dimension is parallel; all tensors of rank > 0 have one shape.
ShardingRule getElementwiseRule(mlir::Operation *op);

} // namespace nlp

#endif // NLP_DIALECT_NLP_IR_OPHELPERS_H
