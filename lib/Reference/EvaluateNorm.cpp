//===- EvaluateNorm.cpp - Normalizations and their gradients ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

static void evaluateLayerNorm(LayerNormOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  const TensorValue &weight = env[op.getWeight()];
  const TensorValue &bias = env[op.getBias()];
  TensorValue &result = env.define(op.getResult());
  TensorValue &mean = env.define(op.getMean());
  TensorValue &rstd = env.define(op.getRstd());
  int64_t width = input.width();
  for (int64_t r = 0; r < input.rows(); ++r) {
    const double *x = &input.floats[r * width];
    for (int64_t i = 0; i < width; ++i)
      mean[r] += x[i] / width;
    double variance = 0.0;
    for (int64_t i = 0; i < width; ++i)
      variance += (x[i] - mean[r]) * (x[i] - mean[r]) / width;
    rstd[r] = 1.0 / std::sqrt(variance + op.getEpsilon().convertToDouble());
    for (int64_t i = 0; i < width; ++i)
      result[r * width + i] = (x[i] - mean[r]) * rstd[r] * weight[i] + bias[i];
  }
}

static void evaluateLayerNormGrad(LayerNormGradOp op, Environment &env) {
  const TensorValue &resultGrad = env[op.getResultGrad()];
  const TensorValue &input = env[op.getInput()];
  const TensorValue &weight = env[op.getWeight()];
  const TensorValue &mean = env[op.getMean()];
  const TensorValue &rstd = env[op.getRstd()];
  TensorValue &inputGrad = env.define(op.getInputGrad());
  TensorValue &weightGrad = env.define(op.getWeightGrad());
  TensorValue &biasGrad = env.define(op.getBiasGrad());
  int64_t width = input.width();
  for (int64_t r = 0; r < input.rows(); ++r) {
    auto n = [&](int64_t i) {
      return (input[r * width + i] - mean[r]) * rstd[r];
    };
    auto g = [&](int64_t i) { return resultGrad[r * width + i] * weight[i]; };
    double averageG = 0.0, averageGN = 0.0;
    for (int64_t i = 0; i < width; ++i) {
      averageG += g(i) / width;
      averageGN += g(i) * n(i) / width;
    }
    for (int64_t i = 0; i < width; ++i) {
      inputGrad[r * width + i] = rstd[r] * (g(i) - averageG - n(i) * averageGN);
      weightGrad[i] += resultGrad[r * width + i] * n(i);
      biasGrad[i] += resultGrad[r * width + i];
    }
  }
}

static void evaluateRMSNorm(RMSNormOp op, Environment &env) {
  const TensorValue &input = env[op.getInput()];
  const TensorValue &weight = env[op.getWeight()];
  TensorValue &result = env.define(op.getResult());
  TensorValue &rstd = env.define(op.getRstd());
  int64_t width = input.width();
  for (int64_t r = 0; r < input.rows(); ++r) {
    const double *x = &input.floats[r * width];
    double meanSquare = 0.0;
    for (int64_t i = 0; i < width; ++i)
      meanSquare += x[i] * x[i] / width;
    rstd[r] = 1.0 / std::sqrt(meanSquare + op.getEpsilon().convertToDouble());
    for (int64_t i = 0; i < width; ++i)
      result[r * width + i] = x[i] * rstd[r] * weight[i];
  }
}

static void evaluateRMSNormGrad(RMSNormGradOp op, Environment &env) {
  const TensorValue &resultGrad = env[op.getResultGrad()];
  const TensorValue &input = env[op.getInput()];
  const TensorValue &weight = env[op.getWeight()];
  const TensorValue &rstd = env[op.getRstd()];
  TensorValue &inputGrad = env.define(op.getInputGrad());
  TensorValue &weightGrad = env.define(op.getWeightGrad());
  int64_t width = input.width();
  for (int64_t r = 0; r < input.rows(); ++r) {
    auto n = [&](int64_t i) { return input[r * width + i] * rstd[r]; };
    auto g = [&](int64_t i) { return resultGrad[r * width + i] * weight[i]; };
    double averageGN = 0.0;
    for (int64_t i = 0; i < width; ++i)
      averageGN += g(i) * n(i) / width;
    for (int64_t i = 0; i < width; ++i) {
      inputGrad[r * width + i] = rstd[r] * (g(i) - n(i) * averageGN);
      weightGrad[i] += resultGrad[r * width + i] * n(i);
    }
  }
}

FamilyResult nlp::ref::evaluateNormOp(Operation *op, Environment &env) {
  if (auto norm = dyn_cast<LayerNormOp>(op))
    evaluateLayerNorm(norm, env);
  else if (auto norm = dyn_cast<LayerNormGradOp>(op))
    evaluateLayerNormGrad(norm, env);
  else if (auto norm = dyn_cast<RMSNormOp>(op))
    evaluateRMSNorm(norm, env);
  else if (auto norm = dyn_cast<RMSNormGradOp>(op))
    evaluateRMSNormGrad(norm, env);
  else
    return std::nullopt;
  return success();
}
