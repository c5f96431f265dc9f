//===- ConfigReader.h - Fields of a configuration, all accounted for -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads fields with their limits and remembers which were asked for; finish()
// then objects to every field that nobody asked for and that is not known to
// leave a training graph alone. The first error sticks: later reads return
// harmless values, so that a family reads everything and checks once.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_IMPORT_HUGGINGFACE_CONFIGREADER_H
#define NLP_LIB_IMPORT_HUGGINGFACE_CONFIGREADER_H

#include "nlp/Support/Json.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSet.h"

namespace nlp {

class ConfigReader {
public:
  /// The largest size that a field may have.
  static constexpr int64_t kMaxSize = INT64_C(1) << 31;
  /// What a tensor of the nlp dialect may take.
  static constexpr int64_t kMaxBytes = INT64_C(1) << 56;

  explicit ConfigReader(JsonValue root) : root(std::move(root)) {}
  ConfigReader(ConfigReader &&) = default;

  /// Whether the field is there and not null. Counts as asking for it.
  bool has(llvm::StringRef key);

  /// A size from 1 to `max`; an error where the field is absent or null.
  int64_t getSize(llvm::StringRef key, int64_t max = kMaxSize);
  /// The same, or `fallback` where the field is absent or null.
  int64_t getSizeOr(llvm::StringRef key, int64_t fallback,
                    int64_t max = kMaxSize);
  /// An integer from 0 to kMaxSize.
  int64_t getCountOr(llvm::StringRef key, int64_t fallback);
  /// A finite number above 0.
  double getPositive(llvm::StringRef key);
  double getPositiveOr(llvm::StringRef key, double fallback);
  /// A finite number of 0 or more.
  double getNonNegativeOr(llvm::StringRef key, double fallback);
  /// A dropout rate, from 0 to below 1.
  double getRateOr(llvm::StringRef key, double fallback);
  bool getFlagOr(llvm::StringRef key, bool fallback);
  std::string getStringOr(llvm::StringRef key, llvm::StringRef fallback);
  std::vector<std::string> getStrings(llvm::StringRef key);
  /// A reader of the object at `key`, if it is there. Merge it when done.
  std::optional<ConfigReader> getObject(llvm::StringRef key);

  /// Says that `keys` change nothing here, whatever they hold.
  void ignore(llvm::ArrayRef<llvm::StringRef> keys);

  /// Fails at the field `key`: expected `expected`, but got its value.
  void failAt(llvm::StringRef key, const llvm::Twine &expected);
  /// Fails at the whole configuration.
  void fail(const llvm::Twine &message);
  bool hasFailed() const { return !message.empty(); }

  /// Fails where tensors of `dims` elements would take more than kMaxBytes.
  void checkProduct(const llvm::Twine &what, llvm::ArrayRef<int64_t> dims);

  /// Objects to unknown fields and takes over their or any earlier error.
  void merge(ConfigReader part);

  /// The first error, or one for the first unknown field.
  llvm::Error finish();

private:
  template <typename T> T keep(llvm::Expected<T> value, T harmless);
  double getNumber(llvm::StringRef key, std::optional<double> fallback,
                   llvm::StringRef expected, bool (*isGood)(double));
  void checkUnknown();

  JsonValue root;
  llvm::StringSet<> asked;
  std::string message; // of the first error, "" for none
};

/// Whether a field of this name never changes a training graph: ids of special
/// tokens, defaults for generation, provenance.
bool isFieldWithoutEffect(llvm::StringRef key);

} // namespace nlp

#endif // NLP_LIB_IMPORT_HUGGINGFACE_CONFIGREADER_H
