//===- OpInterfaces.h - What passes may ask of an op ------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_INTERFACES_OPINTERFACES_H
#define NLP_INTERFACES_OPINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "nlp/Interfaces/ShardingRule.h"

namespace nlp {
/// In which element types an op may run.
enum class PrecisionPolicy {
  /// Statistics, softmax, losses, optimizer state: f32 whatever the plan says.
  KeepF32,
  /// Matrix products and attention: may run in a lower type.
  Lowerable,
  /// Pointwise and shape ops: run in the type of their inputs.
  FollowsInputs,
};

/// Whether running an op a second time gives the same bits.
enum class RecomputeKind {
  Pure,
  /// Random, but a function of (seed, step, site, element): same bits again.
  CounterRandom,
  Never,
};

/// Bytes of all tensors among `types`; other types count nothing.
int64_t getTensorBytes(mlir::TypeRange types);

/// A constant of `type`, which is a float or a vector of floats.
mlir::Value getScalarConstant(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Type type, double value);
} // namespace nlp

#include "nlp/Interfaces/OpInterfaces.h.inc"

#endif // NLP_INTERFACES_OPINTERFACES_H
