//===- TensorValue.cpp - Tensors of the reference interpreter ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Reference/TensorValue.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace nlp::ref;

TensorValue::TensorValue(RankedTensorType type) : shape(type.getShape()) {
  if (isa<FloatType>(type.getElementType()))
    floats.resize(type.getNumElements());
  else
    integers.resize(type.getNumElements());
}

int64_t TensorValue::rows() const {
  int64_t rows = 1;
  for (int64_t dim = 0; dim + 1 < rank(); ++dim)
    rows *= shape[dim];
  return rows;
}

double nlp::ref::roundTo(Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  bool losesInfo;
  llvm::APFloat rounded(value);
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

TensorValue &Environment::define(Value value) {
  auto &place = values[value];
  place =
      std::make_unique<TensorValue>(cast<RankedTensorType>(value.getType()));
  return *place;
}
