//===- LossRegion.h - The ops around the logits -----------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logits are a model's largest value, and yet each token's row of them is
// needed by itself: from the product that makes it to the products that its
// gradient goes into. This finds the ops in between, which may run for some
// tokens at a time.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_ANALYSIS_LOSSREGION_H
#define NLP_ANALYSIS_LOSSREGION_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace nlp {

/// An op of the region.
struct LossRegionOp {
  mlir::Operation *op;
  /// The factors of its sharding rule that the tokens are, from major to minor.
  llvm::SmallVector<int> tokenFactors;
};

/// The ops of a block that have to do with its logits, forward and backward.
struct LossRegion {
  /// In the order of the block; empty where there is no region.
  llvm::SmallVector<LossRegionOp> ops;
  /// Values that enter, in the order of their first use. None depends on what
  /// the region computes.
  llvm::SmallVector<mlir::Value> inputs;
  /// The op that sums the rows up, and the logits that it reads.
  mlir::Operation *loss = nullptr;
  mlir::Value logits;
  /// Rows of the logits.
  int64_t tokens = 0;
  /// How many of a value's first dimensions the tokens are, for the values that
  /// enter or are computed; absent where they are none. A result without is a
  /// sum over the tokens.
  llvm::DenseMap<mlir::Value, unsigned> tokenDims;
  /// Why there is no region.
  std::string reason;

  explicit operator bool() const { return !ops.empty(); }
  unsigned getTokenDims(mlir::Value value) const {
    return tokenDims.lookup(value);
  }
};

/// The region of the one loss in `block`: from the products that make the
/// logits, through everything as wide, to the products and sums that use their
/// gradient. A loss is an op that sums rows which it needs whole.
LossRegion findLossRegion(mlir::Block &block);

} // namespace nlp

#endif // NLP_ANALYSIS_LOSSREGION_H
