//===- OpInterfaces.cpp - What passes may ask of an op ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Interfaces/OpInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

int64_t nlp::getTensorBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes += tensor.getNumElements() *
               llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  return bytes;
}

Value nlp::getScalarConstant(OpBuilder &builder, Location loc, Type type,
                             double value) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr attr = builder.getFloatAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = SplatElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

#include "nlp/Interfaces/OpInterfaces.cpp.inc"
