//===- Llama.cpp - Llama, Mistral, Qwen2, Qwen3 and their kin -------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pre-norm blocks with RMS norms, rotary positions, grouped queries and a gated
// MLP. Weights are stored as [out, in].
//
//===----------------------------------------------------------------------===//

#include "LlamaConfig.h"
#include <cmath>

using namespace mlir;
using namespace nlp;

/// Objects to tensors that are too large for the dialect.
static void checkSizes(ConfigReader &reader, const LlamaConfig &config,
                       const GraphShape &shape) {
  int64_t w = config.width, b = shape.batch, t = shape.seqLen;
  reader.checkProduct("the embedding table", {config.vocabSize, w});
  reader.checkProduct("all blocks' attention",
                      {config.layers, 4, w, config.heads, config.headDim});
  reader.checkProduct("all blocks' mlp", {config.layers, 3, w, config.inner});
  reader.checkProduct("the logits", {b, t, config.vocabSize});
  reader.checkProduct("the hidden states", {b, t, w});
  reader.checkProduct("q_proj's result", {b, t, config.heads, config.headDim});
  reader.checkProduct("up_proj's result", {b, t, config.inner});
}

namespace {
/// Builds the blocks of one model.
struct LlamaBuilder {
  const LlamaConfig &config;
  GraphBuilder &graph;
  DenseF64ArrayAttr frequencies;
  int64_t seqLen;

  Value buildBlock(int64_t layer, Value hidden);
  Value buildAttention(StringRef place, int64_t window, Value input);
  Value buildMlp(StringRef place, Value input);
  Value buildHeads(const Twine &part, StringRef place, Value input,
                   int64_t heads, bool isRotated);
};
} // namespace

/// Projects `input` to the heads of `part`: "q", "k" or "v".
Value LlamaBuilder::buildHeads(const Twine &part, StringRef place, Value input,
                               int64_t heads, bool isRotated) {
  std::string prefix = (place + "." + part).str();
  Value joined =
      graph.linear(prefix + "_proj", input,
                   {heads * config.headDim, config.hasQueryKeyValueBias,
                    config.initializerRange});
  Value result = graph.splitHeads(place, joined, heads);
  if (!isRotated)
    return result;
  if (config.hasHeadNorms)
    result = graph.rmsNorm(prefix + "_norm", result, config.epsilon);
  return graph.rope(place, result, frequencies);
}

Value LlamaBuilder::buildAttention(StringRef place, int64_t window,
                                   Value input) {
  Value query = buildHeads("q", place, input, config.heads, true);
  Value key = buildHeads("k", place, input, config.keyHeads, true);
  Value value = buildHeads("v", place, input, config.keyHeads, false);
  AttentionSpec spec;
  spec.scale = 1 / std::sqrt(static_cast<double>(config.headDim));
  // A window as wide as the sequence hides nothing.
  spec.window = window < seqLen ? window : 0;
  spec.dropout = config.attentionDropout;
  Value context =
      graph.joinHeads(place, graph.attention(place, query, key, value, spec));
  return graph.linear(
      (place + ".o_proj").str(), context,
      {config.width, config.hasOutputBias, config.initializerRange});
}

Value LlamaBuilder::buildMlp(StringRef place, Value input) {
  LinearSpec inner = {config.inner, config.hasMlpBias, config.initializerRange};
  Value gate = graph.linear((place + ".gate_proj").str(), input, inner);
  gate = graph.activation((place + ".act_fn").str(), gate, config.activation);
  Value up = graph.linear((place + ".up_proj").str(), input, inner);
  return graph.linear(
      (place + ".down_proj").str(), graph.mul(place, gate, up),
      {config.width, config.hasMlpBias, config.initializerRange});
}

Value LlamaBuilder::buildBlock(int64_t layer, Value hidden) {
  std::string block = "model.layers." + std::to_string(layer);
  Value input =
      graph.rmsNorm(block + ".input_layernorm", hidden, config.epsilon);
  Value output =
      buildAttention(block + ".self_attn", config.windows[layer], input);
  hidden = graph.add(block, hidden, output);
  input = graph.rmsNorm(block + ".post_attention_layernorm", hidden,
                        config.epsilon);
  return graph.add(block, hidden, buildMlp(block + ".mlp", input));
}

ImportedModule nlp::importLlama(ConfigReader &reader,
                                const ImportRequest &request) {
  LlamaConfig config = readLlamaConfig(reader, request);
  if (llvm::Error error = reader.finish())
    return error;
  llvm::Expected<GraphShape> shape =
      getGraphShape(request, config.vocabSize, config.maxPositions,
                    "max_position_embeddings");
  if (!shape)
    return shape.takeError();
  checkSizes(reader, config, *shape);
  if (llvm::Error error = reader.finish())
    return error;

  constexpr StringLiteral kTable = "model.embed_tokens";
  GraphBuilder graph(request.context, *shape, "");
  Value table = graph.declareTable(kTable, config.vocabSize, config.width,
                                   config.initializerRange);
  Value hidden = graph.embedding(kTable, table, graph.getTokens());
  LlamaBuilder builder{
      config, graph,
      DenseF64ArrayAttr::get(request.context, config.frequencies),
      shape->seqLen};
  for (int64_t layer = 0; layer < config.layers; ++layer)
    hidden = builder.buildBlock(layer, hidden);
  hidden = graph.rmsNorm("model.norm", hidden, config.epsilon);
  return graph.finish(
      hidden, config.isTied
                  ? graph.readTiedHead(kTable)
                  : graph.declareHead(config.width, config.initializerRange));
}
