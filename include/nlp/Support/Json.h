//===- Json.h - Reading JSON that nobody vouches for ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nlohmann/json parses; this adds limits on size and depth, the numbers
// Infinity and NaN (which Python writes into configuration files), an error
// where a key occurs twice, and access to fields whose errors name the file,
// the place in it, what was expected and what came. No call throws.
//
//   Expected<JsonDocument> document = readJsonFile("config.json");
//   JsonValue root = document->root();
//   int64_t layers;
//   if (Error error = root.read("n_layer", layers)) return error;
//
//===----------------------------------------------------------------------===//

#ifndef NLP_SUPPORT_JSON_H
#define NLP_SUPPORT_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace nlp {

/// What a document may be at most.
struct JsonLimits {
  int64_t maxBytes = 64 << 20;
  int maxDepth = 64;
};

/// A value within a document, and where it stands. Cheap to copy; does not
/// outlive its document.
class JsonValue {
public:
  JsonValue(const nlohmann::json &json, const std::string &fileName,
            std::string path = "")
      : json(&json), fileName(&fileName), path(std::move(path)) {}

  bool isNull() const;
  bool isBool() const;
  bool isNumber() const;
  bool isString() const;
  bool isArray() const;
  bool isObject() const;

  /// The field `key`; an error where this is no object or lacks it.
  llvm::Expected<JsonValue> get(llvm::StringRef key) const;

  /// The field `key`, or nothing where it is absent or null.
  std::optional<JsonValue> find(llvm::StringRef key) const;

  /// An object's keys in alphabetical order; empty for anything else.
  std::vector<std::string> keys() const;

  /// Elements of an array (or fields of an object); 0 for anything else.
  size_t size() const;

  /// Element `index` of an array, which must exist.
  JsonValue at(size_t index) const;

  llvm::Expected<bool> asBool() const;
  /// Takes 4096.0 for 4096, since some writers make every number a float.
  llvm::Expected<int64_t> asInt() const;
  /// As asInt, within [`min`, `max`].
  llvm::Expected<int64_t> asIntIn(int64_t min, int64_t max) const;
  llvm::Expected<double> asDouble() const;
  llvm::Expected<std::string> asString() const;
  llvm::Expected<std::vector<int64_t>> asInts() const;
  llvm::Expected<std::vector<std::string>> asStrings() const;

  /// Reads the field `key` into `out`; an error where it is absent.
  template <typename T> llvm::Error read(llvm::StringRef key, T &out) const {
    llvm::Expected<JsonValue> field = get(key);
    return field ? field->readAs(out) : field.takeError();
  }

  /// Reads the field `key` into `out`, which keeps its value where the field is
  /// absent or null.
  template <typename T>
  llvm::Error readIfPresent(llvm::StringRef key, T &out) const {
    std::optional<JsonValue> field = find(key);
    return field ? field->readAs(out) : llvm::Error::success();
  }

  /// An error at this place: "config.json: rope_scaling.factor: MESSAGE".
  llvm::Error error(const llvm::Twine &message) const;

  /// An error at this place: "expected EXPECTED, but got " this value.
  llvm::Error unexpected(const llvm::Twine &expected) const;

  /// This value in at most some 60 characters, for messages.
  std::string describe() const;

  /// Where this stands: "rope_scaling.factor", "layers[3]", "" for the root.
  const std::string &getPath() const { return path; }

  const nlohmann::json &raw() const { return *json; }

private:
  llvm::Error readAs(bool &out) const;
  llvm::Error readAs(int64_t &out) const;
  llvm::Error readAs(double &out) const;
  llvm::Error readAs(std::string &out) const;
  llvm::Error readAs(std::vector<int64_t> &out) const;
  llvm::Error readAs(std::vector<std::string> &out) const;

  const nlohmann::json *json;
  const std::string *fileName;
  std::string path;
};

/// A parsed text and the name that its errors go by. Moving it keeps values
/// that point into it good.
class JsonDocument {
public:
  JsonDocument(nlohmann::json &&json, std::string fileName);
  JsonDocument(JsonDocument &&) noexcept;
  JsonDocument &operator=(JsonDocument &&) noexcept;
  ~JsonDocument();

  JsonValue root() const { return JsonValue(*json, *fileName); }

private:
  std::unique_ptr<nlohmann::json> json;
  std::unique_ptr<std::string> fileName;
};

/// Parses `text`; errors go by the name `fileName`.
llvm::Expected<JsonDocument> parseJson(llvm::StringRef text,
                                       llvm::StringRef fileName,
                                       const JsonLimits &limits = {});

/// Reads and parses the file `path`.
llvm::Expected<JsonDocument> readJsonFile(llvm::StringRef path,
                                          const JsonLimits &limits = {});

} // namespace nlp

#endif // NLP_SUPPORT_JSON_H
