//===- Weights.cpp - Parameters from and to safetensors -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are mapped and copied straight into the arena, so that loading needs no
// second copy of the model. All names and shapes are checked before the first
// byte is copied.
//
//===----------------------------------------------------------------------===//

#include "core/Weights.h"
#include "core/DType.h"
#include "core/Finite.h"
#include "core/MappedFile.h"
#include "core/SafeTensors.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace nlprt {

using Json = nlohmann::json;

/// What a file seems to be whose first eight bytes are no length of a header;
/// null where they are, or where nothing is known.
static const char *otherFormat(std::span<const uint8_t> file) {
  uint64_t length = 0;
  if (file.size() < sizeof(length))
    return nullptr;
  std::memcpy(&length, file.data(), sizeof(length));
  if (length <= file.size())
    return nullptr;
  if (std::memcmp(file.data(), "PK\3\4", 4) == 0)
    return "a zip archive, which torch.save writes";
  if (std::memcmp(file.data(), "GGUF", 4) == 0)
    return "a GGUF file";
  if (file[0] == 0x80 && file[1] >= 2 && file[1] <= 5)
    return "a pickle, which torch.save used to write";
  return nullptr;
}

namespace {
/// The tensors of one or several files, which stay mapped.
struct WeightFiles {
  std::vector<MappedFile> files;
  SafeTensorMap tensors;

  void add(const std::string &path) {
    MappedFile file(path);
    if (const char *other = otherFormat({file.data(), file.size()}))
      throw Error(path + ": expected a safetensors file, but this is " + other);
    try {
      for (auto &[name, tensor] : parseSafeTensors({file.data(), file.size()}))
        if (!tensors.emplace(name, tensor).second)
          throw Error("tensor '" + name + "' is in another shard too");
    } catch (const Error &error) {
      throw Error(path + ": " + error.what());
    }
    files.push_back(std::move(file));
  }
};
} // namespace

static bool exists(const std::string &path) {
  return access(path.c_str(), F_OK) == 0;
}

/// Adds every shard that an index names; they lie beside the index.
static void addShards(WeightFiles &weights, const std::string &path) {
  MappedFile file(path);
  Json index = Json::parse(file.data(), file.data() + file.size(), nullptr,
                           /*allow_exceptions=*/false);
  if (!index.is_object() || !index.contains("weight_map") ||
      !index["weight_map"].is_object())
    throw Error(path + ": expected a JSON object with a weight_map");
  std::set<std::string> shards;
  for (const auto &[name, shard] : index["weight_map"].items()) {
    if (!shard.is_string())
      throw Error(path + ": expected a file name for '" + name + "'");
    std::string text = shard.get<std::string>();
    if (text.empty() || text.find('/') != std::string::npos ||
        text.find('\0') != std::string::npos)
      throw Error(path + ": expected file names without a folder, but got '" +
                  text + "'");
    shards.insert(text);
  }
  for (const std::string &shard : shards)
    weights.add(folderOf(path) + "/" + shard);
}

static WeightFiles openWeights(const std::string &path) {
  WeightFiles weights;
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    throw systemError(path, "open for reading", errno);
  std::string file = path;
  if (S_ISDIR(status.st_mode)) {
    file = path + "/model.safetensors.index.json";
    if (!exists(file))
      file = path + "/model.safetensors";
    if (!exists(file))
      file = path + "/weights.safetensors";
    if (!exists(file))
      throw Error(path + ": expected model.safetensors or "
                         "model.safetensors.index.json in this folder");
  }
  if (file.ends_with(".json"))
    addShards(weights, file);
  else
    weights.add(file);
  return weights;
}

/// Prefixes that Hugging Face drops or adds between a base model and a model
/// with a head.
static constexpr const char *basePrefixes[] = {
    "transformer.", "model.", "bert.", "roberta.", "distilbert.", "gpt_neox."};

static SafeTensorMap::const_iterator findTensor(const SafeTensorMap &tensors,
                                                const std::string &name) {
  auto found = tensors.find(name);
  for (const std::string prefix : basePrefixes) {
    if (found == tensors.end() && name.starts_with(prefix))
      found = tensors.find(name.substr(prefix.size()));
    if (found == tensors.end())
      found = tensors.find(prefix + name);
  }
  return found;
}

/// Buffers that old checkpoints carry beside the parameters.
static bool isKnownBuffer(const std::string &name) {
  for (const char *ending :
       {".attn.bias", ".attn.masked_bias", ".attention.bias",
        ".attention.masked_bias", ".rotary_emb.inv_freq", ".position_ids"})
    if (name.ends_with(ending))
      return true;
  return false;
}

/// At most three names, and how many more there are.
static std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(names.size(), 3); ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > 3)
    text += " and " + std::to_string(names.size() - 3) + " more";
  return text;
}

static void checkTensor(const std::string &path, const nlprt_tensor &wanted,
                        const SafeTensor &tensor) {
  std::span<const int64_t> shape(wanted.shape, wanted.rank);
  if (!std::equal(shape.begin(), shape.end(), tensor.shape.begin(),
                  tensor.shape.end()))
    throw Error(path + ": expected " + wanted.name + " to be " +
                describeTensor(dtypeName(wanted.dtype), shape) + ", but got " +
                describeTensor(tensor.dtype, tensor.shape));
  if (floatNamed(tensor.dtype) < 0)
    throw Error(path + ": expected " + wanted.name +
                " to be F32, F16, BF16 or F64, but got " + tensor.dtype);
}

static void copyTensor(const nlprt_tensor &to, const SafeTensor &from,
                       char *arena) {
  char *out = arena + to.offset;
  int64_t dtype = floatNamed(from.dtype);
  if (dtype == to.dtype) {
    std::copy_n(from.data, from.bytes, out);
    return;
  }
  // A tensor's bytes may start anywhere in its file.
  int64_t width = dtypeBytes(dtype), count = from.bytes / width;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i) {
    double element = 0;
    std::copy_n(from.data + i * width, width,
                reinterpret_cast<uint8_t *>(&element));
    storeFloat(out, to.dtype, i, loadFloat(&element, dtype, 0));
  }
}

std::vector<std::string> loadWeights(const nlprt_program &program, char *arena,
                                     const std::string &path) {
  WeightFiles weights = openWeights(path);
  std::vector<const SafeTensor *> sources;
  std::vector<std::string> missing, extra, notes;
  std::set<std::string> used;
  for (int64_t i = 0; i < program.parameter_count; ++i) {
    const nlprt_tensor &tensor = program.parameters[i].tensor;
    auto found = findTensor(weights.tensors, tensor.name);
    if (found == weights.tensors.end()) {
      missing.push_back(tensor.name);
      continue;
    }
    checkTensor(path, tensor, found->second);
    used.insert(found->first);
    sources.push_back(&found->second);
  }
  if (!missing.empty())
    throw Error(path +
                ": expected tensors that are not there: " + listed(missing));
  for (int64_t i = 0; i < program.parameter_count; ++i)
    copyTensor(program.parameters[i].tensor, *sources[i], arena);
  for (const auto &[name, tensor] : weights.tensors)
    if (!used.count(name) && !isKnownBuffer(name))
      extra.push_back(name);
  if (!extra.empty())
    notes.push_back(path +
                    ": tensors without a place in the model: " + listed(extra));
  return notes;
}

std::vector<nlprt_tensor> parameterTensors(const nlprt_program &program) {
  std::vector<nlprt_tensor> tensors;
  for (int64_t i = 0; i < program.parameter_count; ++i)
    tensors.push_back(program.parameters[i].tensor);
  return tensors;
}

void saveWeights(const nlprt_program &program, const char *arena,
                 const std::string &path) {
  std::vector<nlprt_tensor> parameters = parameterTensors(program);
  checkFinite(path, parameters, arena);
  AtomicFile file(path);
  writeSafeTensors(file, parameters, arena);
  file.commit();
}

} // namespace nlprt
