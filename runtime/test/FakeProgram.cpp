//===- FakeProgram.cpp - A compiled program written by hand -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops in f32. Losses and gradients are accumulated over micro-batches
// and divided by the tokens of the global batch, as compiled programs do; the
// update is SGD with momentum after clipping by the global norm.
//
//===----------------------------------------------------------------------===//

#include "FakeProgram.h"
#include "nlprt/counter_random.h"
#include <algorithm>
#include <cmath>
#include <iterator>

namespace nlprt::test {

void (*onUpdate)(int64_t step) = nullptr;

namespace {
constexpr int64_t vocabulary = 256, length = 16, microBatch = 2,
                  globalBatch = 4, tokens = microBatch * length;

/// The arena. Offsets are what the memory planner would hand out.
struct Layout {
  alignas(64) float table[vocabulary * vocabulary];
  alignas(64) float bias[vocabulary];
  alignas(64) float momentum[vocabulary * vocabulary];
  alignas(64) float biasMomentum[vocabulary];
  alignas(64) float tableGrad[vocabulary * vocabulary];
  alignas(64) float biasGrad[vocabulary];
  alignas(64) float logits[tokens][vocabulary];
  alignas(64) int32_t ids[tokens];
  alignas(64) int32_t targets[tokens];
  alignas(64) float loss, evaluationLoss, gradNorm;
  alignas(64) double rate, momentumFactor, maxGradNorm;
  alignas(64) int64_t step, seed, firstSequence;
};

/// Work items are rows of the logits: softmax and its gradient in place.
/// buffers: arena, row losses.
void softmaxRows(int64_t begin, int64_t end, void *const *buffers) {
  Layout &a = *static_cast<Layout *>(buffers[0]);
  float *losses = static_cast<float *>(buffers[1]);
  for (int64_t row = begin; row < end; ++row) {
    int32_t id = a.ids[row], target = a.targets[row];
    float *out = a.logits[row], sum = 0, most = -INFINITY;
    for (int64_t v = 0; v < vocabulary; ++v)
      most = std::max(most, out[v] = a.table[id * vocabulary + v] + a.bias[v]);
    for (int64_t v = 0; v < vocabulary; ++v)
      sum += std::exp(out[v] - most);
    losses[row] = target < 0 ? 0 : std::log(sum) + most - out[target];
    for (int64_t v = 0; v < vocabulary; ++v)
      out[v] = (std::exp(out[v] - most) / sum - (v == target)) /
               float(globalBatch * length);
  }
}

constexpr nlprt_site softmaxSite = {"softmax", "head \"quoted\"", 100, 200};

float meanLoss(nlprt_context *context, Layout &a) {
  float losses[tokens], sum = 0;
  void *const buffers[] = {&a, losses};
  nlprt_parallel(context, &softmaxSite, softmaxRows, tokens, buffers);
  for (float loss : losses)
    sum += loss;
  return sum / float(globalBatch * length);
}

nlprt_status forwardBackward(nlprt_context *context, char *arena,
                             int64_t micro) {
  Layout &a = *reinterpret_cast<Layout *>(arena);
  if (a.firstSequence != micro * microBatch)
    return NLPRT_INVALID;
  if (micro == 0) {
    a.loss = 0;
    std::fill_n(a.tableGrad, vocabulary * vocabulary, 0.0f);
    std::fill_n(a.biasGrad, vocabulary, 0.0f);
  }
  a.loss += meanLoss(context, a);
  for (int64_t row = 0; row < tokens; ++row)
    for (int64_t v = 0; v < vocabulary; ++v) {
      a.tableGrad[a.ids[row] * vocabulary + v] += a.logits[row][v];
      a.biasGrad[v] += a.logits[row][v];
    }
  return NLPRT_OK;
}

nlprt_status update(nlprt_context *, char *arena, int64_t) {
  Layout &a = *reinterpret_cast<Layout *>(arena);
  if (onUpdate)
    onUpdate(a.step);
  uint64_t key = nlprt_mix(a.seed, nlprt_hash_name("noise"));
  for (int64_t v = 0; v < vocabulary; ++v)
    a.biasGrad[v] += 1e-6f * float(nlprt_normal(key, v));
  double squares = 0;
  for (int64_t i = 0; i < vocabulary * vocabulary; ++i)
    squares += double(a.tableGrad[i]) * a.tableGrad[i];
  for (float g : a.biasGrad)
    squares += double(g) * g;
  a.gradNorm = float(std::sqrt(squares));
  float scale = a.maxGradNorm > 0 && a.gradNorm > a.maxGradNorm
                    ? float(a.maxGradNorm) / a.gradNorm
                    : 1.0f;
  auto apply = [&](float *values, float *moments, const float *grads,
                   int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      moments[i] = float(a.momentumFactor) * moments[i] + scale * grads[i];
      values[i] -= float(a.rate) * moments[i];
    }
  };
  apply(a.table, a.momentum, a.tableGrad, vocabulary * vocabulary);
  apply(a.bias, a.biasMomentum, a.biasGrad, vocabulary);
  return NLPRT_OK;
}

nlprt_status evaluate(nlprt_context *context, char *arena, int64_t) {
  Layout &a = *reinterpret_cast<Layout *>(arena);
  a.evaluationLoss = meanLoss(context, a);
  return NLPRT_OK;
}

constexpr int64_t matrix[] = {vocabulary, vocabulary}, row[] = {vocabulary},
                  batch[] = {microBatch, length};

#define TENSOR(name, dtype, rank, shape, member)                               \
  {name,                                                                       \
   NLPRT_##dtype,                                                              \
   rank,                                                                       \
   shape,                                                                      \
   offsetof(Layout, member),                                                   \
   sizeof(Layout::member)}

constexpr nlprt_parameter parameters[] = {
    {TENSOR("model.table.weight", F32, 2, matrix, table), NLPRT_INIT_NORMAL,
     0.02, 1, 0},
    {TENSOR("model.table.bias", F32, 1, row, bias), NLPRT_INIT_ZEROS, 0, 0, 0}};
constexpr nlprt_tensor states[] = {
    TENSOR("model.table.weight.momentum", F32, 2, matrix, momentum),
    TENSOR("model.table.bias.momentum", F32, 1, row, biasMomentum)};
constexpr nlprt_port inputs[] = {
    {NLPRT_TOKENS, -1, TENSOR("tokens", I32, 2, batch, ids)},
    {NLPRT_TARGETS, -1, TENSOR("targets", I32, 2, batch, targets)}};
constexpr nlprt_port scalars[] = {
    {NLPRT_LEARNING_RATE, 1, TENSOR("lr", F64, 0, nullptr, rate)},
    {NLPRT_MOMENTUM, 1, TENSOR("momentum", F64, 0, nullptr, momentumFactor)},
    {NLPRT_MAX_GRAD_NORM, 1, TENSOR("clip", F64, 0, nullptr, maxGradNorm)},
    {NLPRT_STEP_NUMBER, 1, TENSOR("step", I64, 0, nullptr, step)},
    {NLPRT_STEP_SEED, -1, TENSOR("seed", I64, 0, nullptr, seed)},
    {NLPRT_FIRST_SEQUENCE, 0,
     TENSOR("first_sequence", I64, 0, nullptr, firstSequence)}};
constexpr nlprt_port figures[] = {
    {NLPRT_LOSS, 0, TENSOR("loss", F32, 0, nullptr, loss)},
    {NLPRT_GRAD_NORM, 1, TENSOR("grad_norm", F32, 0, nullptr, gradNorm)},
    {NLPRT_LOSS, 2, TENSOR("eval_loss", F32, 0, nullptr, evaluationLoss)}};
constexpr nlprt_segment segments[] = {
    {"forward_backward", NLPRT_FORWARD_BACKWARD, forwardBackward},
    {"update", NLPRT_UPDATE, update},
    {"evaluate", NLPRT_EVALUATE, evaluate}};
constexpr nlprt_run runs[] = {{0, 0}, {0, 1}, {1, 0}};

constexpr nlprt_program program = {NLPRT_ABI_VERSION,
                                   "bigram",
                                   R"({"version":1,"peak_bytes":1})",
                                   sizeof(Layout),
                                   64,
                                   2,
                                   globalBatch,
                                   microBatch,
                                   length,
                                   vocabulary,
                                   std::size(parameters),
                                   parameters,
                                   std::size(states),
                                   states,
                                   std::size(inputs),
                                   inputs,
                                   std::size(scalars),
                                   scalars,
                                   std::size(figures),
                                   figures,
                                   std::size(segments),
                                   segments,
                                   std::size(runs),
                                   runs};
} // namespace

const nlprt_program &fakeProgram() { return program; }

} // namespace nlprt::test
