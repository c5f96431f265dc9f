//===- Rope.h - Frequencies of rotary positions ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_IMPORT_HUGGINGFACE_ROPE_H
#define NLP_LIB_IMPORT_HUGGINGFACE_ROPE_H

#include "ConfigReader.h"
#include "llvm/ADT/SmallVector.h"

namespace nlp {

/// Reads rope_parameters, rope_scaling and rope_theta, and computes the
/// frequencies, in radians per position, for heads of `headDim` features.
llvm::SmallVector<double> readRopeFrequencies(ConfigReader &config,
                                              int64_t headDim,
                                              int64_t maxPositions);

} // namespace nlp

#endif // NLP_LIB_IMPORT_HUGGINGFACE_ROPE_H
