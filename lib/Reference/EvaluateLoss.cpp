//===- EvaluateLoss.cpp - Losses --------------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include <cmath>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

/// An error unless all targets are below `classes`.
static LogicalResult checkTargets(Operation *op, const TensorValue &targets,
                                  int64_t classes) {
  for (int64_t target : targets.integers)
    if (target >= classes)
      return op->emitOpError("expected targets below ")
             << classes << ", but got " << target;
  return success();
}

static LogicalResult evaluateCrossEntropy(CrossEntropyOp op, Environment &env) {
  const TensorValue &logits = env[op.getLogits()];
  const TensorValue &targets = env[op.getTargets()];
  TensorValue &loss = env.define(op.getLoss());
  TensorValue &lse = env.define(op.getLse());
  int64_t classes = logits.width();
  if (failed(checkTargets(op, targets, classes)))
    return failure();
  for (int64_t r = 0; r < targets.size(); ++r) {
    const double *x = &logits.floats[r * classes];
    double largest = *std::max_element(x, x + classes), sum = 0.0;
    for (int64_t c = 0; c < classes; ++c)
      sum += std::exp(x[c] - largest);
    lse[r] = largest + std::log(sum);
    int64_t target = targets.integers[r];
    if (target >= 0)
      loss[0] += (lse[r] - x[target]) / op.getNormalizer().convertToDouble();
  }
  return success();
}

static LogicalResult evaluateCrossEntropyGrad(CrossEntropyGradOp op,
                                              Environment &env) {
  const TensorValue &logits = env[op.getLogits()];
  const TensorValue &targets = env[op.getTargets()];
  const TensorValue &lse = env[op.getLse()];
  TensorValue &logitsGrad = env.define(op.getLogitsGrad());
  int64_t classes = logits.width();
  if (failed(checkTargets(op, targets, classes)))
    return failure();
  double factor =
      env[op.getLossGrad()][0] / op.getNormalizer().convertToDouble();
  for (int64_t r = 0; r < targets.size(); ++r) {
    int64_t target = targets.integers[r];
    if (target < 0)
      continue;
    for (int64_t c = 0; c < classes; ++c) {
      double p = std::exp(logits[r * classes + c] - lse[r]);
      logitsGrad[r * classes + c] = (p - (c == target ? 1.0 : 0.0)) * factor;
    }
  }
  return success();
}

FamilyResult nlp::ref::evaluateLossOp(Operation *op, Environment &env) {
  if (auto loss = dyn_cast<CrossEntropyOp>(op))
    return evaluateCrossEntropy(loss, env);
  if (auto loss = dyn_cast<CrossEntropyGradOp>(op))
    return evaluateCrossEntropyGrad(loss, env);
  return std::nullopt;
}
