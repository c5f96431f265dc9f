//===- PointwiseLowering.cpp - Pointwise ops by their scalar definition ---===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "nlprt/counter_random.h"

using namespace mlir;
using namespace nlp;

/// Computation runs in f32 whatever the storage, f64 stays f64.
static Type getComputeType(Type element) {
  return element.isF64() ? element : Float32Type::get(element.getContext());
}

static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, value);
  return value;
}

/// Emits `nlprt.pointwise` from `ins` into `outs` with the body that `build`
/// makes from compute-typed arguments.
static void emitPointwise(
    Operation *op, SegmentLowering &segment, ValueRange ins, ValueRange outs,
    function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)> build) {
  OpBuilder &builder = segment.builder;
  Location loc = op->getLoc();
  auto pointwise = rt::PointwiseOp::create(builder, loc, ins, outs);
  if (auto cost = dyn_cast<CostModelOpInterface>(op))
    pointwise.setFlops(cost.getFlops());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&pointwise.getBody());
  SmallVector<Value> arguments;
  for (Value in : ins) {
    Type element = cast<MemRefType>(in.getType()).getElementType();
    BlockArgument argument = body->addArgument(element, loc);
    arguments.push_back(
        convert(builder, loc, argument, getComputeType(element)));
  }
  SmallVector<Value> results = build(builder, loc, arguments);
  for (auto [result, out] : llvm::zip(results, outs))
    result = convert(builder, loc, result,
                     cast<MemRefType>(out.getType()).getElementType());
  rt::YieldOp::create(builder, loc, results);
}

LogicalResult nlp::lowerPointwise(ScalarDefinitionOpInterface op,
                                  SegmentLowering &segment) {
  SmallVector<Value> outs;
  for (OpResult result : op->getResults())
    outs.push_back(segment.makeBuffer(result));
  emitPointwise(op, segment, segment.getBuffers(op->getOperands()), outs,
                [&](OpBuilder &builder, Location loc, ValueRange args) {
                  return op.buildScalar(builder, loc, args);
                });
  return success();
}

/// An op that passes elements on: a cast, or a repeat of a smaller buffer.
static LogicalResult lowerIdentity(Operation *op, SegmentLowering &segment) {
  Value out = segment.makeBuffer(op->getResult(0));
  emitPointwise(op, segment, segment.getBuffers(op->getOperands()), {out},
                [](OpBuilder &, Location, ValueRange args) {
                  return SmallVector<Value>(args);
                });
  return success();
}

void nlp::addPointwiseLowerings(LoweringTable &table) {
  table.add<CastOp>([](CastOp op, SegmentLowering &segment) {
    return lowerIdentity(op, segment);
  });
  table.add<BroadcastOp>([](BroadcastOp op, SegmentLowering &segment) {
    if (isView(op)) {
      segment.setBuffer(op.getResult(), segment.getBuffer(op.getInput()));
      return success();
    }
    return lowerIdentity(op, segment);
  });
  table.add<DropoutOp>([](DropoutOp op, SegmentLowering &segment) {
    segment.launch(
        op, "dropout", {op.getInput(), op.getSeed(), op.getFirstSequence()},
        {segment.getReal("rate", op.getRate().convertToDouble()),
         segment.getInt("site", nlprt_hash_name(op.getSite().str().c_str()))});
    return success();
  });
}
