//===- Weights.h - Where parameters come from and go to -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_WEIGHTS_H
#define NLPRT_CORE_WEIGHTS_H

#include "nlprt/nlprt.h"
#include <cstdint>
#include <string>
#include <vector>

namespace nlprt {

/// Draws every parameter from the counter-based generator: key mix(seed, hash
/// of the name), indexed by the element. All threads, the same bits.
void initializeParameters(const nlprt_program &program, char *arena,
                          uint64_t seed);

/// Reads every parameter from a .safetensors file, a model.safetensors.index
/// .json, or a folder with one of them. Names match with and without the
/// prefix of the base model; floating-point types are converted. Returns notes
/// for the user (tensors that the model has no use for). Throws Error on
/// damaged files, missing tensors and other shapes.
std::vector<std::string> loadWeights(const nlprt_program &program, char *arena,
                                     const std::string &path);

/// Writes the parameters as a safetensors file that Hugging Face loads. Throws
/// Error if one of them is not finite.
void saveWeights(const nlprt_program &program, const char *arena,
                 const std::string &path);

/// The tensors of the program's parameters.
std::vector<nlprt_tensor> parameterTensors(const nlprt_program &program);

} // namespace nlprt

#endif // NLPRT_CORE_WEIGHTS_H
