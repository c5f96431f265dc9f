//===- ShardingRule.h - Factors of an op's iteration space ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_INTERFACES_SHARDINGRULE_H
#define NLP_INTERFACES_SHARDINGRULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace nlp {

/// What a split of a factor over devices (or over micro-batches) needs.
enum class FactorKind {
  /// Every part computes its part of the results.
  Parallel,
  /// Every part computes a partial sum of the results.
  Reduction,
  /// The op needs the whole extent: inputs have to be gathered first.
  Whole,
};

/// The iteration space of an op as factors: `sizes[f]` and `kinds[f]`, and for
/// each dimension of each operand and result the factors that it is made of,
/// from major to minor (usually one; none for a dimension of size 1 that the op
/// broadcasts). A linear layer `[b, t, k] x [k, n] -> [b, t, n]` has four:
/// b and t and n parallel, k a reduction.
struct ShardingRule {
  using DimFactors = llvm::SmallVector<int, 2>;
  using ValueFactors = llvm::SmallVector<DimFactors, 4>;

  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<FactorKind> kinds;
  llvm::SmallVector<ValueFactors> operands;
  llvm::SmallVector<ValueFactors> results;

  /// Adds a factor and returns its number.
  int addFactor(int64_t size, FactorKind kind) {
    sizes.push_back(size);
    kinds.push_back(kind);
    return static_cast<int>(sizes.size()) - 1;
  }
  /// Adds one factor for each size of `shape`; returns them as dimensions.
  ValueFactors addFactors(llvm::ArrayRef<int64_t> shape, FactorKind kind) {
    ValueFactors dims;
    for (int64_t size : shape)
      dims.push_back({addFactor(size, kind)});
    return dims;
  }
};

} // namespace nlp

#endif // NLP_INTERFACES_SHARDINGRULE_H
