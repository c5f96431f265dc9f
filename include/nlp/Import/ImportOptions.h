//===- ImportOptions.h - What the user asks of a model --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_IMPORT_IMPORTOPTIONS_H
#define NLP_IMPORT_IMPORTOPTIONS_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace nlp {

/// The options that shape a graph. What is not given comes from the model.
struct ImportOptions {
  std::optional<int64_t> seqLen;      // tokens per sequence
  std::optional<int64_t> globalBatch; // sequences per optimizer step
  std::optional<std::string> task;    // "causal-lm", ...
  std::optional<double> dropout;      // replaces every rate of the model
};

/// An error that another command line would cure: exit code 2.
class UsageError : public llvm::ErrorInfo<UsageError> {
public:
  static char ID;

  explicit UsageError(const llvm::Twine &message) : text(message.str()) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string text;
};

} // namespace nlp

#endif // NLP_IMPORT_IMPORTOPTIONS_H
