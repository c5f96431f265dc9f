//===- OpHelpers.cpp - Shared by the interface methods of ops -------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nlp;

bool nlp::isSizedTensor(Type type) {
  constexpr int64_t maxBytes = int64_t(1) << 56;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  Type element = tensor.getElementType();
  int64_t bytes = element.isIntOrFloat()
                      ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
                      : sizeof(int64_t);
  for (int64_t size : tensor.getShape()) {
    if (size < 1 || size > maxBytes / bytes) // dynamic sizes are negative
      return false;
    bytes *= size;
  }
  return true;
}

LogicalResult nlp::expectTensors(std::optional<Location> loc,
                                 ValueRange values) {
  for (Value value : values)
    if (!isSizedTensor(value.getType()))
      return emitOptionalError(loc,
                               "expected tensors with static sizes of 1 or "
                               "more and 2^56 bytes at most, but got ",
                               value.getType());
  return success();
}

int64_t nlp::multiplyCapped(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (llvm::MulOverflow(product, factor, product))
      return std::numeric_limits<int64_t>::max();
  return product;
}

LogicalResult nlp::expectFirstGradientOnly(Operation *op,
                                           ValueRange resultGradients) {
  for (auto [index, gradient] : llvm::enumerate(resultGradients))
    if (index > 0 && gradient)
      return op->emitOpError("expected no gradient of result ")
             << index << ", a statistic, but the loss depends on it";
  return success();
}

ShardingRule nlp::getElementwiseRule(Operation *op) {
  ShardingRule rule;
  ShardingRule::ValueFactors dims;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults())))
    if (dims.empty())
      dims = rule.addFactors(getShape(value), FactorKind::Parallel);
  auto getDims = [&](Value value) {
    return getShape(value).empty() ? ShardingRule::ValueFactors() : dims;
  };
  rule.operands = llvm::map_to_vector(op->getOperands(), getDims);
  rule.results = llvm::map_to_vector(op->getResults(), getDims);
  return rule;
}
