//===- LlamaConfig.h - What shapes a model of the Llama family -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_IMPORT_HUGGINGFACE_LLAMACONFIG_H
#define NLP_LIB_IMPORT_HUGGINGFACE_LLAMACONFIG_H

#include "Families.h"

namespace nlp {

struct LlamaConfig {
  int64_t width, layers, inner, vocabSize, maxPositions;
  int64_t heads, keyHeads, headDim;
  double epsilon, initializerRange, attentionDropout;
  Activation activation = Activation::Silu;
  bool hasQueryKeyValueBias, hasOutputBias, hasMlpBias, hasHeadNorms, isTied;
  llvm::SmallVector<double> frequencies; // of rotary positions
  /// Of each layer: the keys that a query sees, or 0 for all before it.
  llvm::SmallVector<int64_t> windows;
};

/// Reads `reader`; the caller asks it for errors.
LlamaConfig readLlamaConfig(ConfigReader &reader, const ImportRequest &request);

} // namespace nlp

#endif // NLP_LIB_IMPORT_HUGGINGFACE_LLAMACONFIG_H
