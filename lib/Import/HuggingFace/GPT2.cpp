//===- GPT2.cpp - GPT-2 from its configuration ----------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights are stored as [in, out]. Defaults are those of the Python class that
// reads the same file. reorder_and_upcast_attn changes how f16 scores are
// rounded, not what is computed.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include <cmath>

using namespace mlir;
using namespace nlp;

namespace {
struct GPT2Config {
  int64_t width, layers, heads, inner, vocabSize, maxPositions;
  Activation activation = Activation::GeluTanh;
  double epsilon, initializerRange;
  double embeddingDropout, residualDropout, attentionDropout;
  bool scalesScores, scalesScoresByLayer, isTied;
};
} // namespace

static GPT2Config readConfig(ConfigReader &reader,
                             const ImportRequest &request) {
  GPT2Config config;
  config.width = reader.getSize("n_embd");
  config.layers = reader.getSize("n_layer", kMaxLayers);
  config.heads = reader.getSize("n_head");
  config.vocabSize = reader.getSize("vocab_size");
  // n_ctx: what old files call n_positions. Where both stand, the number of
  // position embeddings counts.
  reader.ignore({"n_ctx", "reorder_and_upcast_attn"});
  config.maxPositions = reader.getSize(
      reader.has("n_positions") || !reader.has("n_ctx") ? "n_positions"
                                                        : "n_ctx");
  config.inner = reader.getSizeOr("n_inner", 4 * config.width);
  std::string name = reader.getStringOr("activation_function", "gelu_new");
  if (std::optional<Activation> activation = parseActivation(name))
    config.activation = *activation;
  else
    reader.failAt("activation_function", getActivationNames());
  config.epsilon = reader.getPositiveOr("layer_norm_epsilon", 1e-5);
  config.initializerRange = reader.getNonNegativeOr("initializer_range", 0.02);
  config.embeddingDropout = reader.getRateOr("embd_pdrop", 0.1);
  config.residualDropout = reader.getRateOr("resid_pdrop", 0.1);
  config.attentionDropout = reader.getRateOr("attn_pdrop", 0.1);
  if (std::optional<double> rate = request.options.dropout)
    config.embeddingDropout = config.residualDropout = config.attentionDropout =
        *rate;
  config.scalesScores = reader.getFlagOr("scale_attn_weights", true);
  config.scalesScoresByLayer =
      reader.getFlagOr("scale_attn_by_inverse_layer_idx", false);
  config.isTied = reader.getFlagOr("tie_word_embeddings", true);
  if (reader.getFlagOr("add_cross_attention", false))
    reader.failAt("add_cross_attention",
                  "false (cross-attention is not supported)");
  if (!reader.hasFailed() && config.width % config.heads)
    reader.failAt("n_embd",
                  "a multiple of n_head (" + Twine(config.heads) + ")");
  return config;
}

/// Objects to tensors that are too large for the dialect.
static void checkSizes(ConfigReader &reader, const GPT2Config &config,
                       const GraphShape &shape) {
  int64_t w = config.width, b = shape.batch, t = shape.seqLen;
  reader.checkProduct("the embedding table", {config.vocabSize, w});
  reader.checkProduct("the position table", {config.maxPositions, w});
  reader.checkProduct("all blocks' attention", {config.layers, 4, w, w});
  reader.checkProduct("all blocks' mlp", {config.layers, 2, w, config.inner});
  reader.checkProduct("the logits", {b, t, config.vocabSize});
  reader.checkProduct("c_attn's result", {b, t, 3, w});
  reader.checkProduct("c_fc's result", {b, t, config.inner});
}

static Value buildBlock(GraphBuilder &graph, const GPT2Config &config,
                        int64_t layer, Value hidden) {
  std::string block = "h." + std::to_string(layer);
  std::string attn = block + ".attn", mlp = block + ".mlp";
  constexpr WeightLayout kLayout = WeightLayout::InOut;
  double stddev = config.initializerRange;
  // Two residual additions a layer: their sum keeps the width of one.
  double residualStddev =
      stddev / std::sqrt(2.0 * static_cast<double>(config.layers));

  Value input = graph.layerNorm(block + ".ln_1", hidden, config.epsilon);
  Value joined = graph.linear(attn + ".c_attn", input,
                              {3 * config.width, true, stddev, kLayout});
  SmallVector<Value> parts = graph.split(attn, joined, 3);
  for (Value &part : parts)
    part = graph.splitHeads(attn, part, config.heads);
  AttentionSpec spec;
  spec.scale = config.scalesScores
                   ? 1 / std::sqrt(static_cast<double>(config.width) /
                                   static_cast<double>(config.heads))
                   : 1.0;
  if (config.scalesScoresByLayer)
    spec.scale /= static_cast<double>(layer + 1);
  spec.dropout = config.attentionDropout;
  Value context = graph.joinHeads(
      attn, graph.attention(attn, parts[0], parts[1], parts[2], spec));
  Value projected = graph.linear(attn + ".c_proj", context,
                                 {config.width, true, residualStddev, kLayout});
  projected =
      graph.dropout(attn + ".resid_dropout", projected, config.residualDropout);
  hidden = graph.add(block, hidden, projected);

  input = graph.layerNorm(block + ".ln_2", hidden, config.epsilon);
  Value inner =
      graph.linear(mlp + ".c_fc", input, {config.inner, true, stddev, kLayout});
  inner = graph.activation(mlp + ".act", inner, config.activation);
  Value output = graph.linear(mlp + ".c_proj", inner,
                              {config.width, true, residualStddev, kLayout});
  output = graph.dropout(mlp + ".dropout", output, config.residualDropout);
  return graph.add(block, hidden, output);
}

ImportedModule nlp::importGPT2(ConfigReader &reader,
                               const ImportRequest &request) {
  GPT2Config config = readConfig(reader, request);
  if (llvm::Error error = reader.finish())
    return error;
  llvm::Expected<GraphShape> shape = getGraphShape(
      request, config.vocabSize, config.maxPositions, "n_positions");
  if (!shape)
    return shape.takeError();
  checkSizes(reader, config, *shape);
  if (llvm::Error error = reader.finish())
    return error;

  GraphBuilder graph(request.context, *shape, "transformer.");
  Value table = graph.declareTable("wte", config.vocabSize, config.width,
                                   config.initializerRange);
  Value hidden = graph.embedding("wte", table, graph.getTokens());
  Value positionTable = graph.declareTable(
      "wpe", config.maxPositions, config.width, config.initializerRange);
  hidden = graph.add("wpe", hidden, graph.positions("wpe", positionTable));
  hidden = graph.dropout("drop", hidden, config.embeddingDropout);
  for (int64_t layer = 0; layer < config.layers; ++layer)
    hidden = buildBlock(graph, config, layer, hidden);
  hidden = graph.layerNorm("ln_f", hidden, config.epsilon);
  return graph.finish(
      hidden, config.isTied
                  ? graph.readTiedHead("wte")
                  : graph.declareHead(config.width, config.initializerRange));
}
