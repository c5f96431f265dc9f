//===- EvaluateShape.cpp - Shape ops, reductions, constants -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops along one dimension see a tensor as [outer, dimension, inner].
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

/// Copies the elements [from, from + count) of dimension `dim` to [to, to +
/// count) in a tensor that differs in that dimension only.
static void copyRange(const TensorValue &source, int64_t from,
                      TensorValue &target, int64_t to, int64_t dim,
                      int64_t count) {
  int64_t outer = 1, inner = 1;
  for (int64_t i = 0; i < source.rank(); ++i) {
    if (i < dim)
      outer *= source.shape[i];
    if (i > dim)
      inner *= source.shape[i];
  }
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t j = 0; j < count; ++j)
      for (int64_t i = 0; i < inner; ++i) {
        int64_t at = (o * target.shape[dim] + to + j) * inner + i;
        int64_t of = (o * source.shape[dim] + from + j) * inner + i;
        if (source.integers.empty())
          target[at] = source[of];
        else
          target.integers[at] = source.integers[of];
      }
}

static void evaluateReshape(ReshapeOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  TensorValue &result = env.define(op.getResult());
  result.floats = input.floats;
  result.integers = input.integers;
}

static void evaluateTranspose(TransposeOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  TensorValue &result = env.define(op.getResult());
  // How far apart neighbours along each dimension of the input are.
  SmallVector<int64_t> strides(input.rank(), 1);
  for (int64_t dim = input.rank() - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * input.shape[dim + 1];
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t rest = i, from = 0;
    for (int64_t dim = result.rank() - 1; dim >= 0; --dim) {
      from += rest % result.shape[dim] * strides[op.getPermutation()[dim]];
      rest /= result.shape[dim];
    }
    result[i] = input[from];
  }
}

static void evaluateSplit(SplitOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  int64_t from = 0;
  for (auto [part, size] : llvm::zip_equal(op.getParts(), op.getSizes())) {
    copyRange(input, from, env.define(part), 0, op.getDim(), size);
    from += size;
  }
}

static void evaluateConcat(ConcatOp op, Environment &env) {
  TensorValue &result = env.define(op.getResult());
  int64_t to = 0;
  for (Value operand : op.getParts()) {
    const TensorValue &part = env[operand];
    int64_t size = part.shape[op.getDim()];
    copyRange(part, 0, result, to, op.getDim(), size);
    to += size;
  }
}

static void evaluateSlice(SliceOp op, Environment &env) {
  copyRange(env[op.getInput()], op.getOffset(), env.define(op.getResult()), 0,
            op.getDim(), op.getSize());
}

static void evaluatePad(PadOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  copyRange(input, 0, env.define(op.getResult()), op.getBefore(), op.getDim(),
            input.shape[op.getDim()]);
}

static void evaluateBroadcast(BroadcastOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  TensorValue &result = env.define(op.getResult());
  for (int64_t i = 0; i < result.size(); ++i)
    result[i] = input[i % input.size()];
}

static void evaluateReduceSum(ReduceSumOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  TensorValue &result = env.define(op.getResult());
  for (int64_t i = 0; i < input.size(); ++i)
    result[i % result.size()] += input[i];
}

static void evaluateFill(FillOp op, Environment &env) {
  for (double &element : env.define(op.getResult()).floats)
    element = op.getValue().convertToDouble();
}

/// Rounding is a matter of the result's type; see `Rounding`.
static void evaluateCast(CastOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  env.define(op.getResult()).floats = input.floats;
}

FamilyResult nlp::ref::evaluateShapeOp(Operation *op, Environment &env) {
  auto done = [](auto evaluate) {
    evaluate();
    return FamilyResult(success());
  };
  return TypeSwitch<Operation *, FamilyResult>(op)
      .Case(
          [&](ReshapeOp op) { return done([&] { evaluateReshape(op, env); }); })
      .Case([&](TransposeOp op) {
        return done([&] { evaluateTranspose(op, env); });
      })
      .Case([&](SplitOp op) { return done([&] { evaluateSplit(op, env); }); })
      .Case([&](ConcatOp op) { return done([&] { evaluateConcat(op, env); }); })
      .Case([&](SliceOp op) { return done([&] { evaluateSlice(op, env); }); })
      .Case([&](PadOp op) { return done([&] { evaluatePad(op, env); }); })
      .Case([&](BroadcastOp op) {
        return done([&] { evaluateBroadcast(op, env); });
      })
      .Case([&](ReduceSumOp op) {
        return done([&] { evaluateReduceSum(op, env); });
      })
      .Case([&](FillOp op) { return done([&] { evaluateFill(op, env); }); })
      .Case([&](CastOp op) { return done([&] { evaluateCast(op, env); }); })
      .Default([](Operation *) { return std::nullopt; });
}
