//===- EvaluateOptimizer.cpp - Clipping and updates -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include <cmath>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

static void evaluateSquareSum(SquareSumOp op, Environment &env) {
  static constexpr int64_t blockSize = 16384;
  const TensorValue &input = env[op.getInput()];
  TensorValue &result = env.define(op.getResult());
  for (int64_t i = 0; i < input.size(); ++i)
    result[i / blockSize] += input[i] * input[i];
}

static void evaluateClipFactor(ClipFactorOp op, Environment &env) {
  double maxNorm = env[op.getMaxNorm()][0], sum = 0.0;
  for (Value operand : op.getSquareSums())
    for (double squareSum : env[operand].floats)
      sum += squareSum;
  double norm = std::sqrt(sum);
  env.define(op.getNorm())[0] = norm;
  env.define(op.getFactor())[0] =
      maxNorm > 0.0 ? std::min(1.0, maxNorm / (norm + 1e-6)) : 1.0;
}

/// The value of an optional scalar.
static double scalarOr(Value value, double otherwise, Environment &env) {
  return value ? env[value][0] : otherwise;
}

static void evaluateAdamW(AdamWOp op, Environment &env) {
  const TensorValue &parameter = env[op.getParameter()];
  const TensorValue &grad = env[op.getGrad()];
  const TensorValue &m = env[op.getFirstMoment()];
  const TensorValue &v = env[op.getSecondMoment()];
  TensorValue &newParameter = env.define(op.getNewParameter());
  TensorValue &newM = env.define(op.getNewFirstMoment());
  TensorValue &newV = env.define(op.getNewSecondMoment());
  double factor = scalarOr(op.getGradFactor(), 1.0, env);
  double decay = scalarOr(op.getWeightDecay(), 0.0, env);
  double rate = env[op.getLearningRate()][0];
  double beta1 = env[op.getBeta1()][0], beta2 = env[op.getBeta2()][0];
  double epsilon = env[op.getEpsilon()][0];
  int64_t step = env[op.getStepNumber()].integers[0];
  double correction1 = 1.0 - std::pow(beta1, step);
  double correction2 = 1.0 - std::pow(beta2, step);
  for (int64_t i = 0; i < parameter.size(); ++i) {
    double g = grad[i] * factor;
    newM[i] = beta1 * m[i] + (1.0 - beta1) * g;
    newV[i] = beta2 * v[i] + (1.0 - beta2) * g * g;
    double update =
        newM[i] / correction1 / (std::sqrt(newV[i] / correction2) + epsilon);
    newParameter[i] = parameter[i] - rate * (decay * parameter[i] + update);
  }
}

static void evaluateSGD(SGDOp op, Environment &env) {
  const TensorValue &parameter = env[op.getParameter()];
  const TensorValue &grad = env[op.getGrad()];
  const TensorValue &velocity = env[op.getVelocity()];
  TensorValue &newParameter = env.define(op.getNewParameter());
  TensorValue &newVelocity = env.define(op.getNewVelocity());
  double factor = scalarOr(op.getGradFactor(), 1.0, env);
  double decay = scalarOr(op.getWeightDecay(), 0.0, env);
  double rate = env[op.getLearningRate()][0];
  double momentum = env[op.getMomentum()][0];
  for (int64_t i = 0; i < parameter.size(); ++i) {
    newVelocity[i] = momentum * velocity[i] + grad[i] * factor;
    newParameter[i] =
        parameter[i] - rate * (decay * parameter[i] + newVelocity[i]);
  }
}

FamilyResult nlp::ref::evaluateOptimizerOp(Operation *op, Environment &env) {
  if (auto squareSum = dyn_cast<SquareSumOp>(op))
    evaluateSquareSum(squareSum, env);
  else if (auto clip = dyn_cast<ClipFactorOp>(op))
    evaluateClipFactor(clip, env);
  else if (auto adamw = dyn_cast<AdamWOp>(op))
    evaluateAdamW(adamw, env);
  else if (auto sgd = dyn_cast<SGDOp>(op))
    evaluateSGD(sgd, env);
  else
    return std::nullopt;
  return success();
}
