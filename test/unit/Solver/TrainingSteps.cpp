//===- TrainingSteps.cpp - Programs like training steps ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values in two bytes an element, statistics in four. A product of m x k and
// k x n takes 2 m n k operations, attention half of its rectangle; every op
// reads its inputs and writes its outputs once.
//
//===----------------------------------------------------------------------===//

#include "TrainingSteps.h"
#include <algorithm>

using namespace nlp::solver;
using namespace nlp::test;

StepShape nlp::test::getGpt2() { return {}; }

StepShape nlp::test::getGpt3() {
  StepShape shape;
  shape.layers = 96;
  shape.tokens = shape.sequence = 2048;
  shape.hidden = 12288;
  shape.heads = shape.kvHeads = 96;
  shape.ffn = 4 * shape.hidden;
  return shape;
}

StepShape nlp::test::getLlama() {
  StepShape shape;
  shape.isLlama = true;
  shape.layers = 32;
  shape.tokens = shape.sequence = 4096;
  shape.hidden = 4096;
  shape.heads = shape.kvHeads = 32;
  shape.ffn = 11008;
  shape.vocabulary = 32000;
  return shape;
}

StepShape nlp::test::onCpu(StepShape shape) {
  shape.flopsPerSec = 200e9;
  shape.bytesPerSec = 20e9;
  return shape;
}

namespace {
using Values = llvm::SmallVector<int32_t, 4>;

/// Builds a step op by op.
class StepBuilder {
public:
  explicit StepBuilder(const StepShape &shape) : shape(shape) {}
  RecomputeProblem build();

private:
  /// What a layer's forward pass leaves for its backward pass.
  struct Layer {
    int32_t input, stats1, normed1, qkv, attended, logSum, middle, stats2,
        normed2, gate, up, activated;
  };

  int32_t addValue(int64_t bytes) {
    problem.values.push_back({bytes, {}});
    return problem.values.size() - 1;
  }
  /// [tokens, width]
  int32_t addRows(int64_t width) { return addValue(2 * shape.tokens * width); }
  int32_t addStats() {
    return addValue((shape.isLlama ? 4 : 8) * shape.tokens);
  }
  void addOp(Values inputs, Values outputs, double flops, bool inPlace = false);
  /// [tokens, in] x [in, out], as any of the three products of a linear.
  double getFlops(int64_t in, int64_t out) const {
    return 2.0 * shape.tokens * in * out;
  }
  int64_t getQkvWidth() const {
    return shape.hidden + 2 * shape.hidden * shape.kvHeads / shape.heads;
  }
  int32_t forwardLayer(int32_t x);
  int32_t backwardMlp(const Layer &layer, int32_t gradient);
  int32_t backwardAttention(const Layer &layer, int32_t gradient);
  int32_t addHead(int32_t x);

  StepShape shape;
  RecomputeProblem problem;
  std::vector<Layer> layers;
  int32_t weights = 0, targets = 0;
};
} // namespace

void StepBuilder::addOp(Values inputs, Values outputs, double flops,
                        bool inPlace) {
  double bytes = 0;
  for (int32_t value : inputs)
    bytes += value == weights ? 0 : problem.values[value].bytes;
  for (int32_t value : outputs)
    bytes += problem.values[value].bytes;
  ProgramOp op;
  op.inputs = inputs;
  op.outputs.assign(outputs.begin(), outputs.end());
  op.seconds = std::max(flops / shape.flopsPerSec, bytes / shape.bytesPerSec);
  if (inPlace)
    op.inPlace.push_back({0, 0});
  problem.ops.push_back(op);
}

int32_t StepBuilder::forwardLayer(int32_t x) {
  Layer layer;
  int64_t h = shape.hidden, f = shape.ffn, w = getQkvWidth();
  double attention = 2.0 * shape.tokens * shape.sequence * h;
  layer.input = x;
  layer.normed1 = addRows(h);
  layer.stats1 = addStats();
  addOp({x, weights}, {layer.normed1, layer.stats1}, 0);
  int32_t raw = addRows(w);
  addOp({layer.normed1, weights}, {raw}, getFlops(h, w));
  layer.qkv = raw;
  if (shape.isLlama) {
    layer.qkv = addRows(w);
    addOp({raw}, {layer.qkv}, 0, true); // rotary embedding
  }
  layer.attended = addRows(h);
  layer.logSum = addValue(4 * shape.tokens * shape.heads);
  addOp({layer.qkv}, {layer.attended, layer.logSum}, attention);
  int32_t projected = addRows(h);
  addOp({layer.attended, weights}, {projected}, getFlops(h, h));
  layer.middle = addRows(h);
  addOp({projected, x}, {layer.middle}, 0, true);
  layer.normed2 = addRows(h);
  layer.stats2 = addStats();
  addOp({layer.middle, weights}, {layer.normed2, layer.stats2}, 0);
  layer.gate = -1;
  if (shape.isLlama) {
    layer.gate = addRows(f);
    addOp({layer.normed2, weights}, {layer.gate}, getFlops(h, f));
  }
  layer.up = addRows(f);
  addOp({layer.normed2, weights}, {layer.up}, getFlops(h, f));
  layer.activated = addRows(f);
  if (shape.isLlama)
    addOp({layer.gate, layer.up}, {layer.activated}, 0, true);
  else
    addOp({layer.up}, {layer.activated}, 0, true);
  int32_t down = addRows(h);
  addOp({layer.activated, weights}, {down}, getFlops(f, h));
  int32_t output = addRows(h);
  addOp({down, layer.middle}, {output}, 0, true);
  layers.push_back(layer);
  return output;
}

/// The gradient of the middle of a layer, from that of its output.
int32_t StepBuilder::backwardMlp(const Layer &layer, int32_t gradient) {
  int64_t h = shape.hidden, f = shape.ffn;
  addOp({layer.activated, gradient}, {}, getFlops(h, f));
  int32_t activated = addRows(f);
  addOp({gradient, weights}, {activated}, getFlops(h, f));
  int32_t up = addRows(f), normed = addRows(h);
  if (shape.isLlama) {
    int32_t gate = addRows(f), part = addRows(h);
    addOp({activated, layer.gate, layer.up}, {gate, up}, 0, true);
    addOp({layer.normed2, gate}, {}, getFlops(h, f));
    addOp({gate, weights}, {part}, getFlops(h, f));
    addOp({layer.normed2, up}, {}, getFlops(h, f));
    addOp({part, up, weights}, {normed}, getFlops(h, f), true);
  } else {
    addOp({activated, layer.up}, {up}, 0, true);
    addOp({layer.normed2, up}, {}, getFlops(h, f));
    addOp({up, weights}, {normed}, getFlops(h, f));
  }
  int32_t middle = addRows(h);
  addOp({normed, layer.middle, layer.stats2, gradient, weights}, {middle}, 0,
        true);
  return middle;
}

/// The gradient of a layer's input, from that of its middle.
int32_t StepBuilder::backwardAttention(const Layer &layer, int32_t gradient) {
  int64_t h = shape.hidden, w = getQkvWidth();
  double attention = 5.0 * shape.tokens * shape.sequence * h;
  addOp({layer.attended, gradient}, {}, getFlops(h, h));
  int32_t attended = addRows(h);
  addOp({gradient, weights}, {attended}, getFlops(h, h));
  int32_t qkv = addRows(w);
  addOp({attended, layer.qkv, layer.attended, layer.logSum}, {qkv}, attention);
  if (shape.isLlama) {
    int32_t raw = addRows(w);
    addOp({qkv}, {raw}, 0, true);
    qkv = raw;
  }
  addOp({layer.normed1, qkv}, {}, getFlops(h, w));
  int32_t normed = addRows(h);
  addOp({qkv, weights}, {normed}, getFlops(h, w));
  int32_t input = addRows(h);
  addOp({normed, layer.input, layer.stats1, gradient, weights}, {input}, 0,
        true);
  return input;
}

/// Final norm, loss and their backward pass; the gradient of `x`.
int32_t StepBuilder::addHead(int32_t x) {
  int64_t h = shape.hidden, v = shape.vocabulary;
  int32_t normed = addRows(h), stats = addStats();
  addOp({x, weights}, {normed, stats}, 0);
  int64_t chunks = std::max<int64_t>(shape.headChunks, 1);
  double flops = getFlops(h, v) / chunks;
  int64_t bytes = 2 * shape.tokens * v / chunks;
  auto addLogits = [&] {
    int32_t logits = addValue(bytes);
    addOp({normed, weights}, {logits}, flops);
    return logits;
  };
  int32_t whole = -1, logSum = -1;
  if (shape.headChunks == 0) {
    whole = addLogits();
    logSum = addStats();
    addOp({whole, targets}, {logSum}, 0);
  }
  problem.firstFixed = problem.ops.size();
  int32_t gradient = addRows(h);
  for (int64_t c = 0; c < chunks; ++c) {
    int32_t logits = whole;
    if (shape.headChunks > 0) {
      logits = addLogits();
      logSum = addStats();
      addOp({logits, targets}, {logSum}, 0);
    }
    int32_t back = addValue(bytes);
    addOp({logits, logSum, targets}, {back}, 0, true);
    addOp({normed, back}, {}, flops);
    // Each chunk writes its rows of the same gradient.
    Values inputs{back, weights};
    int32_t written = gradient;
    if (c > 0) {
      written = addValue(0);
      problem.values[written].aliasOf = gradient;
      inputs.push_back(gradient);
    }
    addOp(inputs, {written}, flops);
    gradient = written;
  }
  int32_t input = addRows(h);
  addOp({gradient, x, stats, weights}, {input}, 0, true);
  return input;
}

RecomputeProblem StepBuilder::build() {
  int64_t h = shape.hidden, f = shape.ffn;
  int64_t perLayer =
      h * getQkvWidth() + h * h + (shape.isLlama ? 3 : 2) * h * f;
  int64_t parameters = shape.layers * perLayer + shape.vocabulary * h;
  weights = addValue(16 * parameters);
  int32_t tokens = addValue(4 * shape.tokens);
  targets = addValue(4 * shape.tokens);
  addOp({}, {tokens, targets}, 0);
  problem.ops.back().canRepeat = false;
  int32_t x = addRows(h);
  addOp({tokens, weights}, {x}, 0);
  for (int64_t i = 0; i < shape.layers; ++i)
    x = forwardLayer(x);
  int32_t gradient = addHead(x);
  for (size_t i = layers.size(); i-- > 0;) {
    gradient = backwardMlp(layers[i], gradient);
    gradient = backwardAttention(layers[i], gradient);
  }
  addOp({gradient, tokens}, {}, 0);
  return std::move(problem);
}

RecomputeProblem nlp::test::makeTrainingStep(const StepShape &shape) {
  return StepBuilder(shape).build();
}
