//===- SafeTensors.cpp - Named tensors in a file -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is parsed as JSON with a check for names that occur twice; sizes
// are multiplied with a check for overflow; then the tensors, sorted by their
// place, must follow one another from the first byte of the data to the last.
//
//===----------------------------------------------------------------------===//

#include "core/SafeTensors.h"
#include "core/DType.h"
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

namespace nlprt {

using Json = nlohmann::json;

static constexpr uint64_t headerLimit = 100000000;

/// Bits of an element; 0 for an unknown type.
static uint64_t bitsOf(const std::string &dtype) {
  static const std::map<std::string, uint64_t, std::less<>> bits = {
      {"BOOL", 8},    {"F4", 4},          {"F6_E2M3", 6},     {"F6_E3M2", 6},
      {"U8", 8},      {"I8", 8},          {"F8_E5M2", 8},     {"F8_E4M3", 8},
      {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
      {"U16", 16},    {"F16", 16},        {"BF16", 16},       {"I32", 32},
      {"U32", 32},    {"F32", 32},        {"C64", 64},        {"F64", 64},
      {"I64", 64},    {"U64", 64}};
  auto found = bits.find(dtype);
  return found == bits.end() ? 0 : found->second;
}

std::string describeTensor(std::string_view dtype,
                           std::span<const int64_t> shape) {
  std::string text = std::string(dtype) + " [";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

/// A name for messages: at most 80 bytes of it.
static std::string shown(const std::string &name) {
  return "'" + (name.size() <= 80 ? name : name.substr(0, 77) + "...") + "'";
}

static Json parseHeader(std::string_view text) {
  std::set<std::string> names;
  auto noDuplicates = [&](int depth, Json::parse_event_t event, Json &value) {
    if (event == Json::parse_event_t::key && depth == 1 &&
        !names.insert(value.get<std::string>()).second)
      throw Error("tensor " + shown(value.get<std::string>()) +
                  " occurs twice in the header");
    if (depth > 4)
      throw Error("the header is nested too deeply");
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), noDuplicates);
  } catch (const Json::exception &error) {
    throw Error(std::string("the header is no JSON: ") + error.what());
  }
}

static uint64_t unsignedNumber(const Json &value, const std::string &name,
                               const char *what) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX)
    throw Error("tensor " + shown(name) + ": expected whole numbers in " +
                what);
  return value.get<uint64_t>();
}

/// The entry `key` of a tensor's description; an array if `array`.
static const Json &field(const Json &entry, const std::string &name,
                         const char *key, bool array) {
  auto found = entry.find(key);
  if (found == entry.end() || !(array ? found->is_array() : found->is_string()))
    throw Error("tensor " + shown(name) + ": expected " + key + " to be " +
                (array ? "an array" : "a string"));
  return *found;
}

/// Checks one tensor's description against `dataBytes` bytes of data.
static SafeTensor parseTensor(const std::string &name, const Json &entry,
                              const uint8_t *data, uint64_t dataBytes) {
  if (!entry.is_object())
    throw Error("tensor " + shown(name) + ": expected an object");
  SafeTensor tensor;
  tensor.dtype = field(entry, name, "dtype", false).get<std::string>();
  uint64_t bits = bitsOf(tensor.dtype);
  if (bits == 0)
    throw Error("tensor " + shown(name) + ": unknown dtype " +
                shown(tensor.dtype));
  bool overflow = false;
  for (const Json &size : field(entry, name, "shape", true)) {
    uint64_t value = unsignedNumber(size, name, "shape");
    overflow |= __builtin_mul_overflow(bits, value, &bits);
    tensor.shape.push_back(static_cast<int64_t>(value));
  }
  const Json &offsets = field(entry, name, "data_offsets", true);
  if (offsets.size() != 2)
    throw Error("tensor " + shown(name) + ": expected two data_offsets");
  uint64_t begin = unsignedNumber(offsets[0], name, "data_offsets");
  uint64_t end = unsignedNumber(offsets[1], name, "data_offsets");
  if (begin > end || end > dataBytes)
    throw Error(format("tensor %s: expected data_offsets within %llu bytes of "
                       "data, but got [%llu, %llu]: the file is truncated or "
                       "damaged",
                       shown(name).c_str(),
                       static_cast<unsigned long long>(dataBytes),
                       static_cast<unsigned long long>(begin),
                       static_cast<unsigned long long>(end)));
  if (overflow || bits % 8 != 0 || end - begin != bits / 8)
    throw Error("tensor " + shown(name) + ": " +
                describeTensor(tensor.dtype, tensor.shape) + " does not take " +
                std::to_string(end - begin) + " bytes");
  tensor.data = data + begin;
  tensor.bytes = end - begin;
  return tensor;
}

static void checkCoverage(const SafeTensorMap &tensors, const uint8_t *data,
                          uint64_t dataBytes) {
  std::vector<std::pair<uint64_t, uint64_t>> pieces;
  for (const auto &[name, tensor] : tensors)
    pieces.emplace_back(tensor.data - data, tensor.bytes);
  std::sort(pieces.begin(), pieces.end());
  uint64_t next = 0;
  for (auto [begin, bytes] : pieces) {
    if (begin != next)
      throw Error(format("expected a tensor at byte %llu of the data, but got "
                         "one at %llu: tensors overlap or leave a hole",
                         static_cast<unsigned long long>(next),
                         static_cast<unsigned long long>(begin)));
    next += bytes;
  }
  if (next != dataBytes)
    throw Error(format("expected %llu bytes of tensors, but got %llu",
                       static_cast<unsigned long long>(next),
                       static_cast<unsigned long long>(dataBytes)));
}

SafeTensorMap parseSafeTensors(std::span<const uint8_t> file) {
  uint64_t length = 0;
  if (file.size() < sizeof(length))
    throw Error("expected the 8 bytes of the header's length, but got " +
                std::to_string(file.size()));
  std::memcpy(&length, file.data(), sizeof(length));
  uint64_t rest = file.size() - sizeof(length);
  if (length > headerLimit || length > rest)
    throw Error(
        format("expected a header of at most %llu bytes, but its "
               "length reads %llu: the file is truncated or damaged",
               static_cast<unsigned long long>(std::min(rest, headerLimit)),
               static_cast<unsigned long long>(length)));
  std::string_view text(
      reinterpret_cast<const char *>(file.data()) + sizeof(length), length);
  if (!text.starts_with('{'))
    throw Error("expected the header to begin with '{'");
  Json header = parseHeader(text);
  const uint8_t *data = file.data() + sizeof(length) + length;
  SafeTensorMap tensors;
  for (const auto &[name, entry] : header.items())
    if (name != "__metadata__")
      tensors.emplace(name, parseTensor(name, entry, data, rest - length));
  checkCoverage(tensors, data, rest - length);
  return tensors;
}

void writeSafeTensors(AtomicFile &file, std::span<const nlprt_tensor> tensors,
                      const char *base) {
  std::vector<const nlprt_tensor *> order;
  for (const nlprt_tensor &tensor : tensors)
    order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const auto *a, const auto *b) {
    int64_t wideA = dtypeBytes(a->dtype), wideB = dtypeBytes(b->dtype);
    return wideA != wideB ? wideA > wideB : std::strcmp(a->name, b->name) < 0;
  });
  std::string header = R"({"__metadata__":{"format":"pt"})";
  int64_t offset = 0;
  for (const nlprt_tensor *tensor : order) {
    std::vector<int64_t> shape(tensor->shape, tensor->shape + tensor->rank);
    int64_t bytes = tensor->bytes;
    header += "," + Json(tensor->name).dump() + ":" +
              Json{{"dtype", dtypeName(tensor->dtype)},
                   {"shape", shape},
                   {"data_offsets", {offset, offset + bytes}}}
                  .dump();
    offset += bytes;
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  uint64_t length = header.size();
  file.write(&length, sizeof(length));
  file.write(header);
  for (const nlprt_tensor *tensor : order)
    file.write(base + tensor->offset, tensor->bytes);
}

} // namespace nlprt
