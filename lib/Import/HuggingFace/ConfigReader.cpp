//===- ConfigReader.cpp - Fields of a configuration, all accounted for ----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A field that is absent and one that is null are the same, as they are to the
// Python classes that write these files. Unknown fields that are null, false or
// empty switch nothing on and pass.
//
//===----------------------------------------------------------------------===//

#include "ConfigReader.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/Twine.h"
#include <cmath>

using namespace llvm;
using namespace nlp;

/// The value, or `harmless` and the error kept.
template <typename T> T ConfigReader::keep(Expected<T> value, T harmless) {
  if (value)
    return std::move(*value);
  std::string text = toString(value.takeError());
  if (message.empty())
    message = std::move(text);
  return harmless;
}

bool ConfigReader::has(StringRef key) {
  asked.insert(key);
  return root.find(key).has_value();
}

int64_t ConfigReader::getSize(StringRef key, int64_t max) {
  if (has(key))
    return keep<int64_t>(root.find(key)->asIntIn(1, max), 1);
  fail("expected the field '" + key + "', but it is missing");
  return 1;
}

int64_t ConfigReader::getSizeOr(StringRef key, int64_t fallback, int64_t max) {
  return has(key) ? getSize(key, max) : fallback;
}

int64_t ConfigReader::getCountOr(StringRef key, int64_t fallback) {
  return has(key) ? keep<int64_t>(root.find(key)->asIntIn(0, kMaxSize), 0)
                  : fallback;
}

double ConfigReader::getNumber(StringRef key, std::optional<double> fallback,
                               StringRef expected, bool (*isGood)(double)) {
  if (!has(key)) {
    if (!fallback)
      fail("expected the field '" + key + "', but it is missing");
    return fallback.value_or(0.5);
  }
  // 0.5 is good for every kind of number that this class reads.
  double value = keep<double>(root.find(key)->asDouble(), 0.5);
  if (std::isfinite(value) && isGood(value))
    return value;
  failAt(key, expected);
  return 0.5;
}

double ConfigReader::getPositive(StringRef key) {
  return getNumber(key, std::nullopt, "a number above 0",
                   [](double value) { return value > 0; });
}

double ConfigReader::getPositiveOr(StringRef key, double fallback) {
  return getNumber(key, fallback, "a number above 0",
                   [](double value) { return value > 0; });
}

double ConfigReader::getNonNegativeOr(StringRef key, double fallback) {
  return getNumber(key, fallback, "a number of 0 or more",
                   [](double value) { return value >= 0; });
}

double ConfigReader::getRateOr(StringRef key, double fallback) {
  return getNumber(key, fallback, "a dropout rate from 0 to below 1",
                   [](double value) { return value >= 0 && value < 1; });
}

bool ConfigReader::getFlagOr(StringRef key, bool fallback) {
  return has(key) ? keep<bool>(root.find(key)->asBool(), fallback) : fallback;
}

std::string ConfigReader::getStringOr(StringRef key, StringRef fallback) {
  return has(key)
             ? keep<std::string>(root.find(key)->asString(), fallback.str())
             : fallback.str();
}

std::vector<std::string> ConfigReader::getStrings(StringRef key) {
  if (!has(key))
    return {};
  return keep<std::vector<std::string>>(root.find(key)->asStrings(), {});
}

std::optional<ConfigReader> ConfigReader::getObject(StringRef key) {
  if (!has(key))
    return std::nullopt;
  JsonValue value = *root.find(key);
  if (value.isObject())
    return ConfigReader(value);
  failAt(key, "an object");
  return std::nullopt;
}

void ConfigReader::ignore(ArrayRef<StringRef> keys) {
  for (StringRef key : keys)
    asked.insert(key);
}

void ConfigReader::failAt(StringRef key, const Twine &expected) {
  std::optional<JsonValue> value = root.find(key);
  if (!value)
    return fail("expected the field '" + key + "', but it is missing");
  std::string text = toString(value->unexpected(expected));
  if (message.empty())
    message = std::move(text);
}

void ConfigReader::fail(const Twine &text) {
  std::string full = toString(root.error(text));
  if (message.empty())
    message = std::move(full);
}

void ConfigReader::checkProduct(const Twine &what, ArrayRef<int64_t> dims) {
  std::optional<int64_t> elements = checkedProduct(dims);
  // 8 bytes: the widest element type.
  if (elements && *elements <= kMaxBytes / 8)
    return;
  std::string text;
  for (int64_t dim : dims)
    text += (text.empty() ? "" : " x ") + std::to_string(dim);
  fail("expected tensors of at most 2^56 bytes, but got " + text + " for " +
       what);
}

void ConfigReader::merge(ConfigReader part) {
  part.checkUnknown();
  if (message.empty())
    message = std::move(part.message);
}

/// Whether a field that nobody knows may be passed over.
static bool isSwitchedOff(const JsonValue &value) {
  if (value.isNull())
    return true;
  if (value.isBool())
    return !cantFail(value.asBool());
  if (value.isString())
    return cantFail(value.asString()).empty();
  return (value.isArray() || value.isObject()) && value.size() == 0;
}

void ConfigReader::checkUnknown() {
  for (const std::string &key : root.keys()) {
    if (!message.empty())
      return;
    if (asked.contains(key) || isFieldWithoutEffect(key))
      continue;
    std::optional<JsonValue> value = root.find(key);
    if (value && !isSwitchedOff(*value))
      failAt(key, "no such field (what it does to this model's graph is not "
                  "supported)");
  }
}

Error ConfigReader::finish() {
  checkUnknown();
  return message.empty() ? Error::success() : makeError(message);
}
