//===- TensorValue.h - Tensors of the reference interpreter -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements stand in row-major order, floats of every type as f64. 64-bit seeds
// do not fit into a double: integers are kept apart.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_REFERENCE_TENSORVALUE_H
#define NLP_REFERENCE_TENSORVALUE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <vector>

namespace nlp::ref {

struct TensorValue {
  llvm::SmallVector<int64_t> shape;
  /// The elements of a tensor of floats.
  std::vector<double> floats;
  /// The elements of a tensor of integers.
  std::vector<int64_t> integers;

  TensorValue() = default;
  /// A tensor of zeros.
  explicit TensorValue(mlir::RankedTensorType type);

  int64_t rank() const { return shape.size(); }
  int64_t size() const { return floats.size() + integers.size(); }

  double &operator[](int64_t index) { return floats[index]; }
  double operator[](int64_t index) const { return floats[index]; }

  /// The size of the last dimension, 1 for a scalar, and the product of all
  /// others.
  int64_t width() const { return shape.empty() ? 1 : shape.back(); }
  int64_t rows() const;
};

/// `value` as the float type `type` would hold it: rounded to nearest, ties to
/// even. f64 changes nothing.
double roundTo(mlir::Type type, double value);

/// The values of a segment while it runs.
class Environment {
public:
  /// The value of an operand, which must have been defined.
  const TensorValue &operator[](mlir::Value value) const {
    auto found = values.find(value);
    assert(found != values.end() && "an op runs after its operands");
    return *found->second;
  }

  /// Gives a result the value zero, to be filled in.
  TensorValue &define(mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, std::unique_ptr<TensorValue>> values;
};

} // namespace nlp::ref

#endif // NLP_REFERENCE_TENSORVALUE_H
