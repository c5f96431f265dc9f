//===- EvaluateMatmul.cpp - Matrix products and embeddings ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

/// Where weight W(k, n) stands.
static int64_t weightIndex(WeightLayout layout, int64_t k, int64_t n,
                           int64_t inputs, int64_t outputs) {
  return layout == WeightLayout::InOut ? k * outputs + n : n * inputs + k;
}

static LogicalResult evaluateLinear(LinearOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  const TensorValue &weight = env[op.getWeight()];
  TensorValue &result = env.define(op.getResult());
  int64_t inputs = input.width(), outputs = result.width();
  for (int64_t r = 0; r < input.rows(); ++r)
    for (int64_t n = 0; n < outputs; ++n) {
      double sum = 0.0;
      for (int64_t k = 0; k < inputs; ++k)
        sum += input[r * inputs + k] *
               weight[weightIndex(op.getLayout(), k, n, inputs, outputs)];
      result[r * outputs + n] = op.getBias() ? sum + env[op.getBias()][n] : sum;
    }
  return success();
}

static LogicalResult evaluateLinearWeightGrad(LinearWeightGradOp op,
                                              Environment &env) {
  const TensorValue &input = env[op.getInput()];
  const TensorValue &resultGrad = env[op.getResultGrad()];
  TensorValue &weightGrad = env.define(op.getResult());
  int64_t inputs = input.width(), outputs = resultGrad.width();
  for (int64_t r = 0; r < input.rows(); ++r)
    for (int64_t k = 0; k < inputs; ++k)
      for (int64_t n = 0; n < outputs; ++n)
        weightGrad[weightIndex(op.getLayout(), k, n, inputs, outputs)] +=
            input[r * inputs + k] * resultGrad[r * outputs + n];
  return success();
}

/// An error unless all ids are in [0, rows).
static LogicalResult checkIds(Operation *op, const TensorValue &ids,
                              int64_t rows) {
  for (int64_t id : ids.integers)
    if (id < 0 || id >= rows)
      return op->emitOpError("expected ids from 0 to ")
             << rows - 1 << ", but got " << id;
  return success();
}

static LogicalResult evaluateEmbedding(EmbeddingOp op, Environment &env) {
  const TensorValue &table = env[op.getTable()];
  const TensorValue &ids = env[op.getIds()];
  TensorValue &result = env.define(op.getResult());
  if (failed(checkIds(op, ids, table.shape[0])))
    return failure();
  int64_t width = table.width();
  for (int64_t i = 0; i < ids.size(); ++i)
    for (int64_t h = 0; h < width; ++h)
      result[i * width + h] = table[ids.integers[i] * width + h];
  return success();
}

static LogicalResult evaluateEmbeddingGrad(EmbeddingGradOp op,
                                           Environment &env) {
  const TensorValue &resultGrad = env[op.getResultGrad()];
  const TensorValue &ids = env[op.getIds()];
  TensorValue &tableGrad = env.define(op.getResult());
  if (failed(checkIds(op, ids, tableGrad.shape[0])))
    return failure();
  int64_t width = resultGrad.width();
  for (int64_t i = 0; i < ids.size(); ++i)
    for (int64_t h = 0; h < width; ++h)
      tableGrad[ids.integers[i] * width + h] += resultGrad[i * width + h];
  return success();
}

FamilyResult nlp::ref::evaluateMatmulOp(Operation *op, Environment &env) {
  return TypeSwitch<Operation *, FamilyResult>(op)
      .Case([&](LinearOp op) { return evaluateLinear(op, env); })
      .Case([&](LinearWeightGradOp op) {
        return evaluateLinearWeightGrad(op, env);
      })
      .Case([&](EmbeddingOp op) { return evaluateEmbedding(op, env); })
      .Case([&](EmbeddingGradOp op) { return evaluateEmbeddingGrad(op, env); })
      .Default([](Operation *) { return std::nullopt; });
}
