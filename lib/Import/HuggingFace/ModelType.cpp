//===- ModelType.cpp - Which family a configuration belongs to ------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names decide only where they are known: as supported, or as a model whose
// fields may look familiar but whose graph is another one. A fine-tune under a
// name of its own goes by its fields.
//
//===----------------------------------------------------------------------===//

#include "ModelType.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace nlp;

static constexpr StringLiteral kSupported =
    "gpt2, llama, mistral, qwen2, qwen3";

/// The family of `name`, a model_type without dashes and underscores.
static std::optional<ModelFamily> getFamily(StringRef name) {
  return StringSwitch<std::optional<ModelFamily>>(name)
      .Case("gpt2", ModelFamily::GPT2)
      .Cases({"llama", "mistral", "qwen2", "qwen3"}, ModelFamily::Llama)
      .Default(std::nullopt);
}

/// Whether `name`, as in getFamily, is known to be something else.
static bool isKnownOther(StringRef name) {
  static const StringSet<> names = {"albert",
                                    "apertus",
                                    "arcee",
                                    "bamba",
                                    "bart",
                                    "bert",
                                    "bigbird",
                                    "bitnet",
                                    "blenderbot",
                                    "bloom",
                                    "chatglm",
                                    "codegen",
                                    "cohere",
                                    "cohere2",
                                    "ctrl",
                                    "dbrx",
                                    "deberta",
                                    "debertav2",
                                    "deepseek",
                                    "deepseekv2",
                                    "deepseekv3",
                                    "diffllama",
                                    "distilbert",
                                    "doge",
                                    "dots1",
                                    "electra",
                                    "ernie45",
                                    "ernie45moe",
                                    "exaone",
                                    "exaone4",
                                    "falcon",
                                    "falconh1",
                                    "gemma",
                                    "gemma2",
                                    "gemma3",
                                    "gemma3n",
                                    "gemma3text",
                                    "gemma4",
                                    "glm",
                                    "glm4",
                                    "glm4moe",
                                    "gptbigcode",
                                    "gptj",
                                    "gptneo",
                                    "gptneox",
                                    "gptoss",
                                    "granite",
                                    "granitemoe",
                                    "helium",
                                    "hunyuanv1dense",
                                    "internlm2",
                                    "jamba",
                                    "jetmoe",
                                    "lfm2",
                                    "llama4",
                                    "llama4text",
                                    "llava",
                                    "longformer",
                                    "longt5",
                                    "mamba",
                                    "mamba2",
                                    "mbart",
                                    "minicpm",
                                    "minicpm3",
                                    "ministral3",
                                    "mistral3",
                                    "mixtral",
                                    "mllama",
                                    "modernbert",
                                    "moonshine",
                                    "mpt",
                                    "mt5",
                                    "nemotron",
                                    "nemotronh",
                                    "olmo",
                                    "olmo2",
                                    "olmo3",
                                    "olmoe",
                                    "openaigpt",
                                    "opt",
                                    "pegasus",
                                    "persimmon",
                                    "phi",
                                    "phi3",
                                    "phi4mm",
                                    "phimoe",
                                    "phimsft",
                                    "plamo",
                                    "qwen",
                                    "qwen25vl",
                                    "qwen2moe",
                                    "qwen2vl",
                                    "qwen35",
                                    "qwen3moe",
                                    "qwen3next",
                                    "qwen3vl",
                                    "recurrentgemma",
                                    "roberta",
                                    "roformer",
                                    "rwkv",
                                    "seedoss",
                                    "smollm3",
                                    "solar",
                                    "stablelm",
                                    "starcoder2",
                                    "t5",
                                    "umt5",
                                    "vaultgemma",
                                    "whisper",
                                    "xglm",
                                    "xlmroberta",
                                    "xlnet",
                                    "zamba",
                                    "zamba2"};
  return names.contains(name);
}

/// `name` in the spelling of the tables above.
static std::string normalize(StringRef name) {
  std::string result;
  for (char c : name.lower())
    if (c != '_' && c != '-' && c != '.')
      result += c;
  return result;
}

/// Splits "Qwen2ForCausalLM" into "Qwen2" and "ForCausalLM".
static std::pair<StringRef, StringRef> splitArchitecture(StringRef name) {
  size_t at = std::min({name.find("For"), name.find("LMHeadModel"),
                        name.find("DoubleHeadsModel"), name.find("Model")});
  return {name.substr(0, at), at < name.size() ? name.substr(at) : ""};
}

/// The names in `architectures`; none where it is absent.
static Expected<std::vector<std::string>>
getArchitectures(const JsonValue &config) {
  std::vector<std::string> names;
  if (Error error = config.readIfPresent("architectures", names))
    return error;
  return names;
}

/// "a and b" of those of `keys` that `config` lacks.
static std::string listMissing(const JsonValue &config,
                               ArrayRef<StringRef> keys) {
  std::string text;
  for (StringRef key : keys)
    if (!config.find(key))
      text += (text.empty() ? "" : ", ") + key.str();
  return text;
}

static Expected<ModelType> findByFields(const JsonValue &config) {
  std::string missingGPT2 =
      listMissing(config, {"n_embd", "n_layer", "n_head", "vocab_size"});
  // rms_norm_eps tells this family from the encoders.
  std::string missingLlama = listMissing(
      config, {"hidden_size", "intermediate_size", "num_hidden_layers",
               "num_attention_heads", "rms_norm_eps", "vocab_size"});
  if (missingGPT2.empty() != missingLlama.empty())
    return ModelType{
        missingGPT2.empty() ? ModelFamily::GPT2 : ModelFamily::Llama, ""};
  std::string type = "none";
  if (std::optional<JsonValue> value = config.find("model_type"))
    type = value->describe();
  if (missingGPT2.empty())
    return config.error("expected a model_type (" + kSupported +
                        ") or the fields of one family, but got " + type +
                        " and the fields of GPT-2 and of Llama");
  return config.error("expected a model_type (" + kSupported +
                      ") or the fields of a family, but got " + type +
                      "; for GPT-2 there is no " + missingGPT2 +
                      "; for Llama there is no " + missingLlama);
}

Expected<ModelType> nlp::findModelType(const JsonValue &config) {
  if (!config.isObject())
    return config.unexpected("an object");
  std::string type;
  if (Error error = config.readIfPresent("model_type", type))
    return error;
  Expected<std::vector<std::string>> architectures = getArchitectures(config);
  if (!architectures)
    return architectures.takeError();

  std::vector<std::string> names = {type};
  for (StringRef architecture : *architectures)
    names.push_back(splitArchitecture(architecture).first.str());
  for (auto [index, name] : enumerate(names)) {
    std::string key = normalize(name);
    if (std::optional<ModelFamily> family = getFamily(key))
      return ModelType{*family, key};
    if (isKnownOther(key))
      return config.error(
          Twine("unsupported ") + (index ? "architecture" : "model_type") +
          " '" + (index ? StringRef((*architectures)[index - 1]) : name) +
          "'; supported: " + kSupported);
  }
  return findByFields(config);
}

Expected<std::string> nlp::findTask(const JsonValue &config) {
  Expected<std::vector<std::string>> architectures = getArchitectures(config);
  if (!architectures)
    return architectures.takeError();
  for (StringRef architecture : *architectures) {
    StringRef head = splitArchitecture(architecture).second;
    StringRef task =
        StringSwitch<StringRef>(head)
            .Case("ForMaskedLM", "masked-lm")
            .Case("ForSequenceClassification", "sequence-classification")
            .Case("ForTokenClassification", "token-classification")
            .Case("ForQuestionAnswering", "question-answering")
            .Default("causal-lm");
    if (task != "causal-lm")
      return task.str();
  }
  return "causal-lm";
}
