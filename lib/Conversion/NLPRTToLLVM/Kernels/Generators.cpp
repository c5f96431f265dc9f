//===- Generators.cpp - The table of generated kernels ----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generators.h"

using namespace mlir;
using namespace nlp::rt;

static const Generator generators[] = {
    {"pointwise", generatePointwise, nullptr},
    {"add_to", generateAddTo, nullptr},
    {"copy_flat", generateCopyFlat, nullptr},
    {"fill", generateFill, nullptr},
    {"copy", generateCopy, nullptr},
    {"column_sum", generateColumnSum, getColumnSumBytes},
    {"rope", generateRope, nullptr},
    {"dropout", generateDropout, nullptr},
    {"layer_norm", generateLayerNorm, nullptr},
    {"layer_norm_grad", generateLayerNormGrad, getLayerNormGradBytes},
    {"rms_norm", generateRMSNorm, nullptr},
    {"rms_norm_grad", generateRMSNormGrad, getRMSNormGradBytes},
    {"cross_entropy", generateCrossEntropy, getCrossEntropyBytes},
    {"cross_entropy_grad", generateCrossEntropyGrad, nullptr},
    {"square_sum", generateSquareSum, nullptr},
    {"clip_factor", generateClipFactor, nullptr},
    {"adamw", generateAdamW, nullptr},
    {"sgd", generateSGD, nullptr},
};

const Generator *nlp::rt::lookupGenerator(StringRef kernel) {
  for (const Generator &generator : generators)
    if (generator.kernel == kernel)
      return &generator;
  return nullptr;
}

int64_t KernelRequest::getInt(StringRef name, int64_t otherwise) const {
  Attribute attr = params ? params.get(name) : Attribute();
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                          : integer.getValue().getSExtValue();
  return isa_and_nonnull<UnitAttr>(attr) ? 1 : otherwise;
}

double KernelRequest::getReal(StringRef name, double otherwise) const {
  auto attr = params ? params.getAs<FloatAttr>(name) : FloatAttr();
  return attr ? attr.getValueAsDouble() : otherwise;
}

SmallVector<int64_t> KernelRequest::getInts(StringRef name) const {
  Attribute attr = params ? params.get(name) : Attribute();
  if (auto dense = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    return SmallVector<int64_t>(dense.asArrayRef());
  SmallVector<int64_t> values;
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr))
    for (auto value : array.getAsRange<IntegerAttr>())
      values.push_back(value.getInt());
  return values;
}

SmallVector<double> KernelRequest::getReals(StringRef name) const {
  Attribute attr = params ? params.get(name) : Attribute();
  if (auto dense = dyn_cast_or_null<DenseF64ArrayAttr>(attr))
    return SmallVector<double>(dense.asArrayRef());
  SmallVector<double> values;
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr))
    for (auto value : array.getAsRange<FloatAttr>())
      values.push_back(value.getValueAsDouble());
  return values;
}

int64_t nlp::rt::getRowsPerItem(int64_t width) {
  return std::max<int64_t>(1, kBlockElements / width);
}

int64_t nlp::rt::getRowsPerBlock(int64_t rows, int64_t width) {
  return std::max<int64_t>(llvm::divideCeil(rows, 64),
                           getRowsPerItem(llvm::divideCeil(width, 2)));
}
