//===- SafeTensors.h - Named tensors in a file -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a u64 header length, a JSON header, then the tensors' bytes. Files
// come from anywhere: the parser takes a span of bytes, trusts no number in it
// and is what the fuzzer drives.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_SAFETENSORS_H
#define NLPRT_CORE_SAFETENSORS_H

#include "core/AtomicFile.h"
#include "nlprt/nlprt.h"
#include <map>
#include <span>
#include <string>
#include <vector>

namespace nlprt {

struct SafeTensor {
  std::string dtype; // as in the file: "F32", "BF16", ...
  std::vector<int64_t> shape;
  const uint8_t *data; // into the parsed bytes
  uint64_t bytes;
};

using SafeTensorMap = std::map<std::string, SafeTensor, std::less<>>;

/// Parses a whole file. Throws Error (without a path) unless every tensor has a
/// known type, a size that fits its shape, and the tensors cover the data
/// without holes or overlaps.
SafeTensorMap parseSafeTensors(std::span<const uint8_t> file);

/// "F32 [768, 3072]".
std::string describeTensor(std::string_view dtype,
                           std::span<const int64_t> shape);

/// Writes tensors that lie at `base + offset`, sorted as the format's own
/// library does: wide types first, then by name. Does not commit.
void writeSafeTensors(AtomicFile &file, std::span<const nlprt_tensor> tensors,
                      const char *base);

} // namespace nlprt

#endif // NLPRT_CORE_SAFETENSORS_H
