//===- Families.h - The interpreter's families of ops -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each .td file of ops. It computes the results of `op` into
// `env`, or returns an empty optional where the op is of another family.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_REFERENCE_FAMILIES_H
#define NLP_LIB_REFERENCE_FAMILIES_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Reference/TensorValue.h"
#include <optional>

namespace nlp::ref {

using FamilyResult = std::optional<llvm::LogicalResult>;

FamilyResult evaluateAttentionOp(mlir::Operation *op, Environment &env);
FamilyResult evaluateLossOp(mlir::Operation *op, Environment &env);
FamilyResult evaluateMatmulOp(mlir::Operation *op, Environment &env);
FamilyResult evaluateNormOp(mlir::Operation *op, Environment &env);
FamilyResult evaluateOptimizerOp(mlir::Operation *op, Environment &env);
FamilyResult evaluatePointwiseOp(mlir::Operation *op, Environment &env);
FamilyResult evaluateShapeOp(mlir::Operation *op, Environment &env);

/// Whether and how elements are dropped at one site of one step.
class Dropper {
public:
  Dropper(int64_t seed, llvm::StringRef site, double rate);

  /// What element `index` of the global tensor is multiplied by: 0 where it is
  /// dropped, 1 / (1 - rate) where it is kept.
  double factor(int64_t index) const;

private:
  uint64_t key, threshold;
  double keptFactor;
};

} // namespace nlp::ref

#endif // NLP_LIB_REFERENCE_FAMILIES_H
