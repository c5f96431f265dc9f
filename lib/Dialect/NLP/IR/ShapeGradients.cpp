//===- ShapeGradients.cpp - Gradients of shape ops ------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All of these ops are linear: their gradients read nothing but the result's
// gradient.
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

/// Defines the gradient of an op of one operand and one result: `GRADIENT` of
/// `g`, the gradient of the result, builds with `b` at `loc`.
#define NLP_LINEAR_GRADIENT(OpTy, GRADIENT)                                    \
  LogicalResult OpTy::buildGradient(                                           \
      OpBuilder &b, ValueRange resultGradients, ArrayRef<bool> needed,         \
      SmallVectorImpl<Value> &operandGradients) {                              \
    [[maybe_unused]] Location loc = getLoc();                                  \
    Value g = resultGradients.front();                                         \
    if (g && needed.front())                                                   \
      operandGradients.front() = GRADIENT;                                     \
    return success();                                                          \
  }                                                                            \
  void OpTy::getGradientReads(SmallVectorImpl<Value> &values) {}

/// `g` permuted back.
static Value buildTransposeBack(OpBuilder &b, Location loc, Value g,
                                ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation))
    inverse[from] = to;
  return TransposeOp::create(b, loc, g, inverse, nullptr);
}

/// `g` with zeros where the slice left something out.
static Value buildSliceBack(OpBuilder &b, SliceOp op, Value g) {
  int64_t after =
      getShape(op.getInput())[op.getDim()] - op.getOffset() - op.getSize();
  return PadOp::create(b, op.getLoc(), g, op.getDim(), op.getOffset(), after,
                       nullptr);
}

/// `g` without what was padded.
static Value buildPadBack(OpBuilder &b, PadOp op, Value g) {
  return SliceOp::create(b, op.getLoc(), g, op.getDim(), op.getBefore(),
                         getShape(op.getInput())[op.getDim()], nullptr);
}

/// `g` summed over the dimensions that the broadcast added.
static Value buildBroadcastBack(OpBuilder &b, BroadcastOp op, Value g) {
  int64_t leading =
      op.getResult().getType().getRank() - op.getInput().getType().getRank();
  if (leading == 0)
    return g;
  return ReduceSumOp::create(b, op.getLoc(), g, leading, nullptr);
}

NLP_LINEAR_GRADIENT(ReshapeOp,
                    ReshapeOp::create(b, loc, getInput().getType(), g, nullptr))
NLP_LINEAR_GRADIENT(TransposeOp,
                    buildTransposeBack(b, loc, g, getPermutation()))
NLP_LINEAR_GRADIENT(SliceOp, buildSliceBack(b, *this, g))
NLP_LINEAR_GRADIENT(PadOp, buildPadBack(b, *this, g))
NLP_LINEAR_GRADIENT(BroadcastOp, buildBroadcastBack(b, *this, g))
NLP_LINEAR_GRADIENT(ReduceSumOp,
                    BroadcastOp::create(b, loc, getInput().getType(), g,
                                        nullptr))
NLP_LINEAR_GRADIENT(CastOp,
                    CastOp::create(b, loc, getInput().getType(), g, nullptr))

LogicalResult SplitOp::buildGradient(OpBuilder &builder,
                                     ValueRange resultGradients,
                                     ArrayRef<bool> needed,
                                     SmallVectorImpl<Value> &operandGradients) {
  if (!needed.front() || llvm::none_of(resultGradients, [](Value gradient) {
        return static_cast<bool>(gradient);
      }))
    return success();
  SmallVector<Value> parts;
  for (auto [part, gradient] : llvm::zip_equal(getParts(), resultGradients)) {
    if (!gradient)
      gradient = FillOp::create(builder, getLoc(), part.getType(),
                                builder.getF64FloatAttr(0.0), nullptr);
    parts.push_back(gradient);
  }
  operandGradients.front() =
      ConcatOp::create(builder, getLoc(), parts, getDimAttr(), nullptr);
  return success();
}
void SplitOp::getGradientReads(SmallVectorImpl<Value> &values) {}

LogicalResult
ConcatOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                        ArrayRef<bool> needed,
                        SmallVectorImpl<Value> &operandGradients) {
  Value gradient = resultGradients.front();
  if (!gradient)
    return success();
  SmallVector<int64_t> sizes;
  for (Value part : getParts())
    sizes.push_back(getShape(part)[getDim()]);
  if (llvm::all_of(needed, [](bool isNeeded) { return isNeeded; })) {
    auto parts =
        SplitOp::create(builder, getLoc(), gradient, getDim(), sizes, nullptr);
    llvm::copy(parts.getParts(), operandGradients.begin());
    return success();
  }
  int64_t offset = 0;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    if (needed[index])
      operandGradients[index] = SliceOp::create(
          builder, getLoc(), gradient, getDim(), offset, size, nullptr);
    offset += size;
  }
  return success();
}
void ConcatOp::getGradientReads(SmallVectorImpl<Value> &values) {}
