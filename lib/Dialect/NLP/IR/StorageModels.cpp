//===- StorageModels.cpp - Where the results of each op may lie -----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLP/IR/StorageInterface.h"

using namespace mlir;
using namespace nlp;

#include "nlp/Dialect/NLP/IR/StorageInterface.cpp.inc"

/// Whether a range of dimension `dim` is one range of bytes.
static bool isOutermost(Type tensor, uint64_t dim) {
  return llvm::all_of(cast<RankedTensorType>(tensor).getShape().take_front(dim),
                      [](int64_t size) { return size == 1; });
}

namespace {
template <typename Model, typename Op>
using Storage = StorageOpInterface::ExternalModel<Model, Op>;

struct ReshapeStorage : Storage<ReshapeStorage, ReshapeOp> {
  bool isView(Operation *) const { return true; }
};

struct SliceStorage : Storage<SliceStorage, SliceOp> {
  bool isView(Operation *op) const {
    auto slice = cast<SliceOp>(op);
    return isOutermost(slice.getInput().getType(), slice.getDim());
  }
};

struct BroadcastStorage : Storage<BroadcastStorage, BroadcastOp> {
  bool isView(Operation *op) const {
    // Pointwise readers repeat the small buffer themselves.
    return llvm::all_of(op->getUsers(), [](Operation *user) {
      return isa<ScalarDefinitionOpInterface>(user);
    });
  }
};

struct ConcatStorage : Storage<ConcatStorage, ConcatOp> {
  std::optional<int64_t> getRangeOffset(Operation *op,
                                        OpOperand &operand) const {
    auto concat = cast<ConcatOp>(op);
    if (!isOutermost(concat.getResult().getType(), concat.getDim()))
      return std::nullopt;
    int64_t offset = 0;
    for (unsigned part = 0; part < operand.getOperandNumber(); ++part)
      offset += getTensorBytes(op->getOperand(part).getType());
    return offset;
  }
};

/// Row by row, the first result over one of the first `count` operands.
template <typename Op, unsigned count>
struct RowStorage : Storage<RowStorage<Op, count>, Op> {
  bool mayOverwrite(Operation *, OpResult result, OpOperand &operand) const {
    return result.getResultNumber() == 0 && operand.getOperandNumber() < count;
  }
};

struct LossGradStorage : Storage<LossGradStorage, CrossEntropyGradOp> {
  bool mayOverwrite(Operation *op, OpResult, OpOperand &operand) const {
    return &operand == &cast<CrossEntropyGradOp>(op).getLogitsMutable();
  }
};

/// Parameter and first moment by themselves, then the second moment: gradients
/// stand between them.
template <typename Op>
struct OptimizerStorage : Storage<OptimizerStorage<Op>, Op> {
  bool mayOverwrite(Operation *, OpResult result, OpOperand &operand) const {
    unsigned to = result.getResultNumber(), from = operand.getOperandNumber();
    return to == 0 ? from == 0 : from == to + 1;
  }
};

struct WeightGradStorage : Storage<WeightGradStorage, LinearWeightGradOp> {
  bool canAdd(Operation *) const { return true; }
};
} // namespace

void nlp::attachStorageModels(MLIRContext *context) {
  ReshapeOp::attachInterface<ReshapeStorage>(*context);
  SliceOp::attachInterface<SliceStorage>(*context);
  BroadcastOp::attachInterface<BroadcastStorage>(*context);
  ConcatOp::attachInterface<ConcatStorage>(*context);
  RopeOp::attachInterface<RowStorage<RopeOp, 1>>(*context);
  DropoutOp::attachInterface<RowStorage<DropoutOp, 1>>(*context);
  LayerNormOp::attachInterface<RowStorage<LayerNormOp, 1>>(*context);
  RMSNormOp::attachInterface<RowStorage<RMSNormOp, 1>>(*context);
  LayerNormGradOp::attachInterface<RowStorage<LayerNormGradOp, 2>>(*context);
  RMSNormGradOp::attachInterface<RowStorage<RMSNormGradOp, 2>>(*context);
  CrossEntropyGradOp::attachInterface<LossGradStorage>(*context);
  AdamWOp::attachInterface<OptimizerStorage<AdamWOp>>(*context);
  SGDOp::attachInterface<OptimizerStorage<SGDOp>>(*context);
  LinearWeightGradOp::attachInterface<WeightGradStorage>(*context);
}
