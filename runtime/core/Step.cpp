//===- Step.cpp - Runs the segments of one training step -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ports may share arena bytes with values of other lifetimes, so scalars and
// inputs are written anew before every run of a segment.
//
//===----------------------------------------------------------------------===//

#include "core/Step.h"
#include "core/Context.h"
#include "core/Support.h"
#include "nlprt/counter_random.h"
#include <cmath>
#include <limits>

namespace nlprt {

StepRunner::StepRunner(const nlprt_program &program, nlprt_context *context,
                       char *arena)
    : program(program), context(context), arena(arena) {
  for (int64_t i = 0; i < program.segment_count; ++i)
    if (program.segments[i].kind == NLPRT_EVALUATE)
      evaluateSegment = i;
  loss = findFigure(NLPRT_LOSS, false);
  gradNorm = findFigure(NLPRT_GRAD_NORM, false);
  evaluateLoss = findFigure(NLPRT_LOSS, true);
}

/// The figure of a kind that only the evaluation, or only training, touches;
/// failing that, one that both share.
const nlprt_tensor *StepRunner::findFigure(int64_t kind,
                                           bool evaluation) const {
  const nlprt_tensor *shared = nullptr, *own = nullptr;
  for (int64_t i = 0; i < program.figure_count; ++i) {
    const nlprt_port &port = program.figures[i];
    if (port.kind != kind)
      continue;
    if (port.segment < 0)
      shared = &port.tensor;
    else if ((port.segment == evaluateSegment) == evaluation)
      own = &port.tensor;
  }
  return own ? own : shared;
}

double StepRunner::readFigure(const nlprt_tensor *figure) const {
  if (!figure)
    return std::numeric_limits<double>::quiet_NaN();
  const char *data = arena + figure->offset;
  return figure->dtype == NLPRT_F64 ? *reinterpret_cast<const double *>(data)
                                    : *reinterpret_cast<const float *>(data);
}

/// Writes a scalar in the type that the port has.
template <typename T>
static void store(char *arena, const nlprt_tensor &port, T value) {
  char *data = arena + port.offset;
  switch (port.dtype) {
  case NLPRT_F32:
    *reinterpret_cast<float *>(data) = static_cast<float>(value);
    break;
  case NLPRT_F64:
    *reinterpret_cast<double *>(data) = static_cast<double>(value);
    break;
  case NLPRT_I32:
    *reinterpret_cast<int32_t *>(data) = static_cast<int32_t>(value);
    break;
  default:
    *reinterpret_cast<int64_t *>(data) = static_cast<int64_t>(value);
  }
}

void StepRunner::setScalars(int64_t segment, int64_t step,
                            int64_t firstSequence,
                            const Hyperparameters &hyper) {
  for (int64_t i = 0; i < program.scalar_count; ++i) {
    const nlprt_port &port = program.scalars[i];
    if (port.segment >= 0 && port.segment != segment)
      continue;
    const nlprt_tensor &to = port.tensor;
    switch (port.kind) {
    case NLPRT_LEARNING_RATE:
      store(arena, to, hyper.learningRate);
      break;
    case NLPRT_BETA1:
      store(arena, to, hyper.beta1);
      break;
    case NLPRT_BETA2:
      store(arena, to, hyper.beta2);
      break;
    case NLPRT_EPSILON:
      store(arena, to, hyper.epsilon);
      break;
    case NLPRT_WEIGHT_DECAY:
      store(arena, to, hyper.weightDecay);
      break;
    case NLPRT_MOMENTUM:
      store(arena, to, hyper.momentum);
      break;
    case NLPRT_MAX_GRAD_NORM:
      store(arena, to, hyper.maxGradNorm);
      break;
    case NLPRT_STEP_NUMBER:
      store(arena, to, step);
      break;
    case NLPRT_STEP_SEED:
      store(arena, to, static_cast<int64_t>(nlprt_mix(hyper.seed, step)));
      break;
    case NLPRT_FIRST_SEQUENCE:
      store(arena, to, firstSequence);
      break;
    }
  }
}

/// Copies the first seq_len tokens of each row, or those from the second on.
/// Rows of the micro-batch from `rows` on get targets that count nothing.
void StepRunner::setInputs(int64_t segment, const int32_t *tokens,
                           int64_t rows) {
  int64_t length = program.seq_len;
  for (int64_t i = 0; i < program.input_count; ++i) {
    const nlprt_port &port = program.inputs[i];
    if (port.segment >= 0 && port.segment != segment)
      continue;
    bool targets = port.kind == NLPRT_TARGETS;
    const int32_t *source = tokens + (targets ? 1 : 0);
    char *data = arena + port.tensor.offset;
    for (int64_t row = 0; row < program.micro_batch; ++row)
      for (int64_t t = 0; t < length; ++t) {
        int32_t token = row < rows ? source[row * (length + 1) + t]
                        : targets  ? -1
                                   : 0;
        if (port.tensor.dtype == NLPRT_I64)
          reinterpret_cast<int64_t *>(data)[row * length + t] = token;
        else
          reinterpret_cast<int32_t *>(data)[row * length + t] = token;
      }
  }
}

void StepRunner::call(int64_t segment, int64_t step, int64_t microBatch) {
  const nlprt_segment &called = program.segments[segment];
  context->error[0] = '\0';
  nlprt_status status = called.run(context, arena, microBatch);
  if (status != NLPRT_OK)
    throw Error(format("step %lld, segment %s: %s (status %d)",
                       static_cast<long long>(step), called.name,
                       context->error[0] ? context->error : "a kernel failed",
                       status));
}

Figures StepRunner::train(int64_t step, const Hyperparameters &hyper,
                          const int32_t *tokens) {
  int64_t stride = program.micro_batch * (program.seq_len + 1);
  for (int64_t i = 0; i < program.run_count; ++i) {
    const nlprt_run &run = program.runs[i];
    setScalars(run.segment, step, run.micro_batch * program.micro_batch, hyper);
    setInputs(run.segment, tokens + run.micro_batch * stride,
              program.micro_batch);
    call(run.segment, step, run.micro_batch);
  }
  return {readFigure(loss), readFigure(gradNorm), gradNorm != nullptr};
}

double StepRunner::evaluate(int64_t step, const Hyperparameters &hyper,
                            const int32_t *tokens, int64_t rows) {
  setScalars(evaluateSegment, step, 0, hyper);
  setInputs(evaluateSegment, tokens, rows);
  call(evaluateSegment, step, 0);
  // The program divides by the tokens of a whole batch.
  return readFigure(evaluateLoss) * static_cast<double>(program.global_batch);
}

} // namespace nlprt
