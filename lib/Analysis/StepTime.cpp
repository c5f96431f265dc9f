//===- StepTime.cpp - Predicted time of straight-line code ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Analysis/StepTime.h"
#include "mlir/IR/BuiltinTypes.h"
#include "nlp/Dialect/NLP/IR/Storage.h"
#include "nlp/Interfaces/OpInterfaces.h"

using namespace mlir;
using namespace nlp;

/// The machine file's name of the type that `op` computes in.
static std::string getTypeName(Operation *op) {
  std::string name = "f32";
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (tensor.getElementType().isBF16() || tensor.getElementType().isF16())
        name = tensor.getElementType().isBF16() ? "bf16" : "f16";
  return name;
}

double nlp::getOpSeconds(Operation *operation, const Machine &machine) {
  auto op = dyn_cast<CostModelOpInterface>(operation);
  if (!op || isView(op))
    return 0;
  const Device &device = machine.device;
  double rate = op.isMatrixWork() ? device.getMatrixFlopsPerSec(getTypeName(op))
                                  : device.vectorFlopsPerSec;
  double compute = rate > 0 ? op.getFlops() / rate : 0;
  double bytes = static_cast<double>(op.getBytesRead()) + op.getBytesWritten();
  double memory = bytes / device.memoryBytesPerSec;
  // Ops that move nothing launch nothing.
  if (compute == 0 && memory == 0)
    return 0;
  return std::max({compute, memory, device.launchSeconds});
}

BlockCost nlp::getBlockCost(Block &block, const Machine &machine) {
  BlockCost cost;
  for (auto op : block.getOps<CostModelOpInterface>()) {
    cost.seconds += getOpSeconds(op, machine);
    if (op.isMatrixWork())
      cost.matrixFlops += op.getFlops();
  }
  return cost;
}
