//===- LlamaConfig.cpp - What shapes a model of the Llama family ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes of this family differ in what their names imply and in which
// fields they look at; a model known only by its fields counts as a Llama that
// may also have a sliding window. A field that the named class does not look at
// may say what the class does anyway, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "LlamaConfig.h"
#include "Rope.h"

using namespace llvm;
using namespace nlp;

/// Fails where `key` says anything but `implied`.
static void expectFlag(ConfigReader &reader, StringRef key, bool implied,
                       const ImportRequest &request) {
  if (reader.getFlagOr(key, implied) != implied)
    reader.failAt(key, Twine(implied ? "true" : "false") + ", as model_type '" +
                           request.modelType + "' implies");
}

static void readBiases(LlamaConfig &config, ConfigReader &reader,
                       const ImportRequest &request) {
  StringRef type = request.modelType;
  config.hasQueryKeyValueBias = config.hasOutputBias = config.hasMlpBias =
      false;
  config.hasHeadNorms = type == "qwen3";
  if (type == "qwen2") {
    config.hasQueryKeyValueBias = true;
    // The class does not look at it; both values are found in files.
    reader.ignore({"attention_bias"});
  } else if (type == "mistral") {
    expectFlag(reader, "attention_bias", false, request);
  } else {
    config.hasQueryKeyValueBias = config.hasOutputBias =
        reader.getFlagOr("attention_bias", false);
  }
  if (type == "llama" || type.empty())
    config.hasMlpBias = reader.getFlagOr("mlp_bias", false);
  else
    expectFlag(reader, "mlp_bias", false, request);
}

/// The windows of layers whose types are listed.
static void readLayerTypes(LlamaConfig &config, ConfigReader &reader,
                           int64_t window) {
  std::vector<std::string> types = reader.getStrings("layer_types");
  if (reader.hasFailed())
    return;
  if (static_cast<int64_t>(types.size()) != config.layers)
    return reader.failAt("layer_types", "one type for each of the " +
                                            Twine(config.layers) + " layers");
  for (auto [layer, type] : enumerate(types)) {
    if (type == "sliding_attention" && window > 0)
      config.windows[layer] = window;
    else if (type == "sliding_attention")
      return reader.fail("expected a sliding_window for layer_types[" +
                         Twine(layer) + "], which is sliding_attention");
    else if (type != "full_attention")
      return reader.fail("layer_types[" + Twine(layer) +
                         "]: expected full_attention or sliding_attention, "
                         "but got '" +
                         type + "'");
  }
}

static void readWindows(LlamaConfig &config, ConfigReader &reader,
                        const ImportRequest &request) {
  StringRef type = request.modelType;
  // sliding_window_size: what MLC's copies of these files call it.
  StringRef key =
      reader.has("sliding_window") ? "sliding_window" : "sliding_window_size";
  bool isSwitched =
      type == "qwen2" || type == "qwen3" || reader.has("use_sliding_window");
  bool isOn = reader.getFlagOr("use_sliding_window", !isSwitched);
  int64_t window = reader.has(key) ? reader.getSize(key) : 0;
  if (!isOn)
    window = 0;
  int64_t firstLayer = reader.getCountOr("max_window_layers", 28);
  if (reader.hasFailed())
    return;
  config.windows.assign(config.layers, 0);
  if (reader.has("layer_types"))
    return readLayerTypes(config, reader, window);
  // Llama's class does not look at the window.
  if (type == "llama" && window > 0 && window < config.maxPositions)
    return reader.failAt(
        key, "no sliding window, since model_type 'llama' has none");
  for (int64_t layer = isSwitched ? firstLayer : 0; layer < config.layers;
       ++layer)
    config.windows[layer] = window;
}

static void readHeads(LlamaConfig &config, ConfigReader &reader) {
  config.heads = reader.getSize("num_attention_heads");
  config.keyHeads = reader.getSizeOr("num_key_value_heads", config.heads);
  if (reader.hasFailed())
    return;
  if (config.heads % config.keyHeads)
    reader.failAt("num_key_value_heads", "a divisor of num_attention_heads (" +
                                             Twine(config.heads) + ")");
  bool isGiven = reader.has("head_dim");
  if (!isGiven && config.width % config.heads)
    return reader.failAt("hidden_size", "a multiple of num_attention_heads (" +
                                            Twine(config.heads) +
                                            ") where there is no head_dim");
  config.headDim = isGiven ? reader.getSize("head_dim", kMaxHeadDim)
                           : config.width / config.heads;
  StringRef key = isGiven ? "head_dim" : "hidden_size";
  if (config.headDim > kMaxHeadDim)
    reader.failAt(key, "heads of at most " + Twine(kMaxHeadDim) + " features");
  if (config.headDim % 2)
    reader.failAt(key, "heads of an even number of features, which rotary "
                       "positions turn in pairs");
}

LlamaConfig nlp::readLlamaConfig(ConfigReader &reader,
                                 const ImportRequest &request) {
  LlamaConfig config;
  config.width = reader.getSize("hidden_size");
  config.layers = reader.getSize("num_hidden_layers", kMaxLayers);
  config.inner = reader.getSize("intermediate_size");
  config.vocabSize = reader.getSize("vocab_size");
  config.maxPositions = reader.getSize("max_position_embeddings");
  config.headDim = 2;
  readHeads(config, reader);

  std::string name = reader.getStringOr("hidden_act", "silu");
  if (std::optional<Activation> activation = parseActivation(name))
    config.activation = *activation;
  else
    reader.failAt("hidden_act", getActivationNames());
  config.epsilon = reader.getPositiveOr("rms_norm_eps", 1e-6);
  config.initializerRange = reader.getNonNegativeOr("initializer_range", 0.02);
  config.attentionDropout = reader.getRateOr("attention_dropout", 0);
  if (request.options.dropout)
    config.attentionDropout = *request.options.dropout;
  config.isTied = reader.getFlagOr("tie_word_embeddings", false);
  readBiases(config, reader, request);
  readWindows(config, reader, request);
  config.frequencies =
      readRopeFrequencies(reader, config.headDim, config.maxPositions);
  // Other classes turn only a part of the features.
  if (reader.getPositiveOr("partial_rotary_factor", 1) != 1)
    reader.failAt("partial_rotary_factor", "1");
  // Rates that similar classes have; at 0 they change nothing.
  for (StringRef key : {"resid_pdrop", "embd_pdrop", "hidden_dropout"})
    if (reader.getRateOr(key, 0) != 0)
      reader.failAt(key, "0, since this family has no such dropout");
  return config;
}
