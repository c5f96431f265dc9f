//===- JsonParser.cpp - From text to a JSON document ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the document from nlohmann/json's parser events, which come without
// recursion, so that depth is ours to limit. Infinity and NaN, which that
// parser rejects, are replaced in a copy of the text by zeros of the same
// length; the event of such a zero is recognised by the position that the
// parser has reached. Linear in the text.
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Json.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace llvm;
using namespace nlp;
using nlohmann::json;

/// Whether a number may stand right before or after `c`.
static bool isDelimiter(char c) {
  return StringRef(" \t\r\n,:[]{}").contains(c);
}

/// Replaces each Infinity and NaN outside strings by zeros of the same length.
/// Returns the end of each and the value it stood for, sign apart.
static DenseMap<size_t, double> replaceSpecialNumbers(std::string &text) {
  DenseMap<size_t, double> values;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (inString) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        inString = false;
      continue;
    }
    inString = text[i] == '"';
    if (text[i] != 'I' && text[i] != 'N')
      continue;
    StringRef rest = StringRef(text).drop_front(i);
    StringRef token = rest.starts_with("Infinity") ? "Infinity"
                      : rest.starts_with("NaN")    ? "NaN"
                                                   : "";
    size_t end = i + token.size();
    bool opens = i == 0 || isDelimiter(text[i - 1]) ||
                 (token == "Infinity" && text[i - 1] == '-');
    bool closes = end == text.size() || isDelimiter(text[end]);
    if (token.empty() || !opens || !closes)
      continue;
    values[end] = token == "NaN" ? std::numeric_limits<double>::quiet_NaN()
                                 : std::numeric_limits<double>::infinity();
    text.replace(i, token.size(), "0.000000", token.size());
    i = end - 1;
  }
  return values;
}

namespace {
/// Reads a text and counts what the parser has taken.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  const char *position;
  size_t *count;

  reference operator*() const { return *position; }
  CountingIterator &operator++() {
    ++position;
    ++*count;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator &other) const {
    return position == other.position;
  }
  bool operator!=(const CountingIterator &other) const {
    return position != other.position;
  }
};

/// Receives the parser's events and builds the document.
class Builder : public json::json_sax_t {
public:
  Builder(const JsonLimits &limits, const DenseMap<size_t, double> &special,
          const size_t &consumed)
      : limits(limits), special(special), consumed(consumed) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string &) override {
    // The parser has looked at one character behind the number, if there is
    // one.
    auto found = special.find(consumed - 1);
    if (found == special.end())
      found = special.find(consumed);
    if (found != special.end())
      value = std::copysign(found->second, value);
    return add(value);
  }
  bool string(std::string &value) override { return add(std::move(value)); }
  bool binary(json::binary_t &) override { return fail("binary data"); }

  bool key(std::string &name) override {
    if (open.back()->contains(name))
      return fail("the key '" + shorten(name) + "' occurs twice in one object");
    pendingKey = std::move(name);
    return true;
  }
  bool start_object(size_t) override { return enter(json::object()); }
  bool start_array(size_t) override { return enter(json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &error) override {
    StringRef text = error.what();
    size_t start = text.find("] ");
    if (start != StringRef::npos)
      text = text.drop_front(start + 2);
    text.consume_front("parse error at ");
    return fail(shorten(text));
  }

  /// The text with control characters escaped, cut after 160 characters.
  static std::string shorten(StringRef text) {
    std::string out;
    raw_string_ostream stream(out);
    printEscapedString(text.take_front(160), stream);
    return out + (text.size() > 160 ? "..." : "");
  }

  json root;
  std::string message;

private:
  bool fail(std::string text) {
    message = std::move(text);
    return false;
  }

  /// Puts `value` where the next one belongs and returns that place.
  json *place(json &&value) {
    if (open.empty()) {
      root = std::move(value);
      return &root;
    }
    json *parent = open.back();
    if (parent->is_array()) {
      parent->push_back(std::move(value));
      return &parent->back();
    }
    return &((*parent)[pendingKey] = std::move(value));
  }
  bool add(json &&value) {
    place(std::move(value));
    return true;
  }
  bool enter(json &&value) {
    if (open.size() >= static_cast<size_t>(limits.maxDepth))
      return fail("expected values nested at most " +
                  std::to_string(limits.maxDepth) + " deep");
    open.push_back(place(std::move(value)));
    return true;
  }
  bool leave() {
    open.pop_back();
    return true;
  }

  const JsonLimits &limits;
  const DenseMap<size_t, double> &special;
  const size_t &consumed;
  std::vector<json *> open;
  std::string pendingKey;
};
} // namespace

Expected<JsonDocument> nlp::parseJson(StringRef text, StringRef fileName,
                                      const JsonLimits &limits) {
  if (static_cast<int64_t>(text.size()) > limits.maxBytes)
    return makeError(fileName + ": expected at most " +
                     formatSize(limits.maxBytes) + " of JSON, but got " +
                     formatSize(text.size()));
  std::string copy = text.str();
  DenseMap<size_t, double> special = replaceSpecialNumbers(copy);
  size_t consumed = 0;
  Builder builder(limits, special, consumed);
  CountingIterator first{copy.data(), &consumed};
  CountingIterator last{copy.data() + copy.size(), &consumed};
  if (!json::sax_parse(first, last, &builder))
    return makeError(fileName + ": expected JSON: " + builder.message);
  return JsonDocument(std::move(builder.root), fileName.str());
}

Expected<JsonDocument> nlp::readJsonFile(StringRef path,
                                         const JsonLimits &limits) {
  Expected<std::string> text = readFile(path, limits.maxBytes);
  if (!text)
    return text.takeError();
  return parseJson(*text, path, limits);
}
