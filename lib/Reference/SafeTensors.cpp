//===- SafeTensors.cpp - Reads and writes .safetensors files ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format: the header's size as 8 bytes, little endian; the header, a JSON
// object {NAME: {"dtype", "shape", "data_offsets": [begin, end]}}; the data.
//
//===----------------------------------------------------------------------===//

#include "nlp/Reference/SafeTensors.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Json.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <nlohmann/json.hpp>

using namespace llvm;
using namespace nlp;
using namespace nlp::ref;

static constexpr int64_t maxFileBytes = int64_t(16) << 30;

/// The format of a type's name, or null where it is no float.
static const fltSemantics *getSemantics(StringRef dtype) {
  if (dtype == "F64")
    return &APFloat::IEEEdouble();
  if (dtype == "F32")
    return &APFloat::IEEEsingle();
  if (dtype == "F16")
    return &APFloat::IEEEhalf();
  return dtype == "BF16" ? &APFloat::BFloat() : nullptr;
}

/// The bytes [begin, begin + size) as a number.
static double readFloat(StringRef data, int64_t begin,
                        const fltSemantics &semantics) {
  unsigned bits = APFloat::getSizeInBits(semantics);
  uint64_t word = 0;
  for (unsigned byte = 0; byte < bits / 8; ++byte)
    word |= uint64_t(uint8_t(data[begin + byte])) << (8 * byte);
  return APFloat(semantics, APInt(bits, word)).convertToDouble();
}

static Error readTensor(JsonValue entry, StringRef data, TensorValue &tensor) {
  std::string dtype;
  std::vector<int64_t> shape, offsets;
  if (Error error = entry.read("dtype", dtype))
    return error;
  if (Error error = entry.read("shape", shape))
    return error;
  if (Error error = entry.read("data_offsets", offsets))
    return error;
  const fltSemantics *semantics = getSemantics(dtype);
  if (!semantics)
    return Error::success();
  int64_t bytes = APFloat::getSizeInBits(*semantics) / 8;
  std::optional<int64_t> count = checkedProduct(shape);
  if (any_of(shape, [](int64_t size) { return size < 0; }) || !count ||
      offsets.size() != 2 || offsets[0] < 0 || offsets[1] < offsets[0] ||
      offsets[1] > static_cast<int64_t>(data.size()) ||
      offsets[1] - offsets[0] != checkedMul(*count, bytes))
    return entry.error("expected data_offsets within the file that fit the "
                       "shape");
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.floats.resize(*count);
  for (int64_t i = 0; i < *count; ++i)
    tensor[i] = readFloat(data, offsets[0] + i * bytes, *semantics);
  return Error::success();
}

Expected<NamedTensors> nlp::ref::readSafeTensors(StringRef path) {
  Expected<std::string> file = readFile(path, maxFileBytes);
  if (!file)
    return file.takeError();
  StringRef bytes = *file;
  uint64_t headerBytes =
      bytes.size() < 8 ? 0 : support::endian::read64le(bytes.data());
  if (bytes.size() < 8 || headerBytes > bytes.size() - 8)
    return makeError(path + ": expected a .safetensors header of " +
                     Twine(headerBytes) + " bytes, but the file has " +
                     Twine(bytes.size()));
  Expected<JsonDocument> header = parseJson(bytes.substr(8, headerBytes), path);
  if (!header)
    return header.takeError();
  StringRef data = bytes.drop_front(8 + headerBytes);
  NamedTensors tensors;
  for (const std::string &name : header->root().keys()) {
    if (name == "__metadata__")
      continue;
    TensorValue tensor;
    Expected<JsonValue> entry = header->root().get(name);
    if (!entry)
      return entry.takeError();
    if (Error error = readTensor(*entry, data, tensor))
      return error;
    if (tensor.size() > 0)
      tensors[name] = std::move(tensor);
  }
  return tensors;
}

Error nlp::ref::writeSafeTensors(StringRef path, const NamedTensors &tensors) {
  nlohmann::json header = nlohmann::json::object();
  std::string data;
  for (const auto &[name, tensor] : tensors) {
    size_t begin = data.size();
    for (double element : tensor.floats) {
      char word[4];
      support::endian::write32le(
          word, bit_cast<uint32_t>(static_cast<float>(element)));
      data.append(word, sizeof(word));
    }
    header[name] = {{"dtype", "F32"},
                    {"shape", std::vector<int64_t>(tensor.shape.begin(),
                                                   tensor.shape.end())},
                    {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  char size[8];
  support::endian::write64le(size, text.size());
  return writeFileAtomically(path,
                             std::string(size, sizeof(size)) + text + data);
}

/// The tensor `name`, with or without the prefix of a base model.
static const TensorValue *findTensor(const NamedTensors &tensors,
                                     StringRef name) {
  for (StringRef prefix : {"", "transformer.", "model."})
    for (std::string candidate :
         {(prefix + name).str(), name.starts_with(prefix)
                                     ? name.drop_front(prefix.size()).str()
                                     : name.str()})
      if (auto found = tensors.find(candidate); found != tensors.end())
        return &found->second;
  return nullptr;
}

/// "[4, 8]".
static std::string describeShape(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

Error nlp::ref::loadWeights(StringRef path, NamedTensors &parameters) {
  Expected<NamedTensors> tensors = readSafeTensors(path);
  if (!tensors)
    return tensors.takeError();
  for (auto &[name, parameter] : parameters) {
    const TensorValue *tensor = findTensor(*tensors, name);
    if (!tensor)
      return makeError(path + ": expected a tensor " + name +
                       ", but there is none");
    if (tensor->shape != parameter.shape)
      return makeError(path + ": expected " + name + " of shape " +
                       describeShape(parameter.shape) + ", but got " +
                       describeShape(tensor->shape));
    parameter = *tensor;
  }
  return Error::success();
}
