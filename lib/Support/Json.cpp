//===- Json.cpp - Fields of a JSON document ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each conversion checks kind and range itself, so that nlohmann/json, which
// reports by exceptions and converts silently, is only asked what it has.
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/Json.h"
#include "nlp/Support/Escape.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/Twine.h"
#include <cassert>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace llvm;
using namespace nlp;

JsonDocument::JsonDocument(nlohmann::json &&json, std::string fileName)
    : json(std::make_unique<nlohmann::json>(std::move(json))),
      fileName(std::make_unique<std::string>(std::move(fileName))) {}
JsonDocument::JsonDocument(JsonDocument &&) noexcept = default;
JsonDocument &JsonDocument::operator=(JsonDocument &&) noexcept = default;
JsonDocument::~JsonDocument() = default;

bool JsonValue::isNull() const { return json->is_null(); }
bool JsonValue::isBool() const { return json->is_boolean(); }
bool JsonValue::isNumber() const { return json->is_number(); }
bool JsonValue::isString() const { return json->is_string(); }
bool JsonValue::isArray() const { return json->is_array(); }
bool JsonValue::isObject() const { return json->is_object(); }

std::string JsonValue::describe() const {
  if (isObject())
    return size() == 1 ? "an object of 1 field"
                       : "an object of " + std::to_string(size()) + " fields";
  if (isArray())
    return size() == 1 ? "an array of 1 element"
                       : "an array of " + std::to_string(size()) + " elements";
  if (json->is_number_float()) {
    double value = json->get<double>();
    if (!std::isfinite(value))
      return std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
  }
  // Never throws: bytes that are no UTF-8 are replaced.
  std::string text = json->dump(-1, ' ', /*ensure_ascii=*/true,
                                nlohmann::json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 60) + "...";
}

Error JsonValue::error(const Twine &message) const {
  // Keys and values are the file's.
  std::string place = path.empty() ? "" : path + ": ";
  return makeError(
      escapeText((Twine(*fileName) + ": " + place + message).str()));
}

Error JsonValue::unexpected(const Twine &expected) const {
  return error("expected " + expected + ", but got " + describe());
}

Expected<JsonValue> JsonValue::get(StringRef key) const {
  if (!isObject())
    return unexpected("an object with the field '" + key + "'");
  auto found = json->find(key.str());
  if (found == json->end())
    return error("expected the field '" + key + "', but it is missing");
  return JsonValue(*found, *fileName,
                   path.empty() ? key.str() : path + "." + key.str());
}

std::optional<JsonValue> JsonValue::find(StringRef key) const {
  if (!isObject())
    return std::nullopt;
  auto found = json->find(key.str());
  if (found == json->end() || found->is_null())
    return std::nullopt;
  return JsonValue(*found, *fileName,
                   path.empty() ? key.str() : path + "." + key.str());
}

std::vector<std::string> JsonValue::keys() const {
  std::vector<std::string> names;
  if (isObject())
    for (auto field = json->begin(); field != json->end(); ++field)
      names.push_back(field.key());
  return names;
}

size_t JsonValue::size() const {
  return isArray() || isObject() ? json->size() : 0;
}

JsonValue JsonValue::at(size_t index) const {
  assert(isArray() && index < size() && "no such element");
  return JsonValue((*json)[index], *fileName,
                   path + "[" + std::to_string(index) + "]");
}

Expected<bool> JsonValue::asBool() const {
  if (!isBool())
    return unexpected("true or false");
  return json->get<bool>();
}

Expected<int64_t> JsonValue::asInt() const {
  if (json->is_number_unsigned() &&
      json->get<uint64_t>() <= std::numeric_limits<int64_t>::max())
    return static_cast<int64_t>(json->get<uint64_t>());
  if (json->is_number_integer() && !json->is_number_unsigned())
    return json->get<int64_t>();
  if (json->is_number_float()) {
    double value = json->get<double>();
    // 2^53: up to there a float that is whole is the number that was written.
    if (std::abs(value) <= 9007199254740992.0 && std::trunc(value) == value)
      return static_cast<int64_t>(value);
  }
  return unexpected("an integer");
}

Expected<int64_t> JsonValue::asIntIn(int64_t min, int64_t max) const {
  Expected<int64_t> value = asInt();
  if (!value)
    return value;
  if (*value >= min && *value <= max)
    return value;
  if (max == std::numeric_limits<int64_t>::max())
    return unexpected("an integer of " + Twine(min) + " or more");
  return unexpected("an integer from " + Twine(min) + " to " + Twine(max));
}

Expected<double> JsonValue::asDouble() const {
  if (!isNumber())
    return unexpected("a number");
  return json->get<double>();
}

Expected<std::string> JsonValue::asString() const {
  if (!isString())
    return unexpected("a string");
  return json->get<std::string>();
}

/// Reads each element of the array `value` by `convert`.
template <typename T>
static Expected<std::vector<T>>
readArray(const JsonValue &value, Expected<T> (JsonValue::*convert)() const,
          StringRef expected) {
  if (!value.isArray())
    return value.unexpected(expected);
  std::vector<T> elements;
  elements.reserve(value.size());
  for (size_t i = 0; i < value.size(); ++i) {
    Expected<T> element = (value.at(i).*convert)();
    if (!element)
      return element.takeError();
    elements.push_back(std::move(*element));
  }
  return elements;
}

Expected<std::vector<int64_t>> JsonValue::asInts() const {
  return readArray<int64_t>(*this, &JsonValue::asInt, "an array of integers");
}

Expected<std::vector<std::string>> JsonValue::asStrings() const {
  return readArray<std::string>(*this, &JsonValue::asString,
                                "an array of strings");
}

/// Stores a conversion's result in `out`, or returns its error.
template <typename T> static Error store(Expected<T> value, T &out) {
  if (!value)
    return value.takeError();
  out = std::move(*value);
  return Error::success();
}

Error JsonValue::readAs(bool &out) const { return store(asBool(), out); }
Error JsonValue::readAs(int64_t &out) const { return store(asInt(), out); }
Error JsonValue::readAs(double &out) const { return store(asDouble(), out); }
Error JsonValue::readAs(std::string &out) const {
  return store(asString(), out);
}
Error JsonValue::readAs(std::vector<int64_t> &out) const {
  return store(asInts(), out);
}
Error JsonValue::readAs(std::vector<std::string> &out) const {
  return store(asStrings(), out);
}
