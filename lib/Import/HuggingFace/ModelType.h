//===- ModelType.h - Which family a configuration belongs to --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_IMPORT_HUGGINGFACE_MODELTYPE_H
#define NLP_LIB_IMPORT_HUGGINGFACE_MODELTYPE_H

#include "nlp/Support/Json.h"

namespace nlp {

enum class ModelFamily { GPT2, Llama };

struct ModelType {
  ModelFamily family;
  std::string name; // a supported model_type, or "" where the fields decided
};

/// Finds the family by model_type, else by architectures, else by the fields.
/// An error names what is not supported or which fields are missing.
llvm::Expected<ModelType> findModelType(const JsonValue &config);

/// The task that the configuration's architectures name.
llvm::Expected<std::string> findTask(const JsonValue &config);

} // namespace nlp

#endif // NLP_LIB_IMPORT_HUGGINGFACE_MODELTYPE_H
