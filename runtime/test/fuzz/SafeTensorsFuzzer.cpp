//===- SafeTensorsFuzzer.cpp - Any bytes as a safetensors file -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser must refuse or accept, never read outside the bytes. What it
// accepts must cover the data exactly.
//
//===----------------------------------------------------------------------===//

#include "core/SafeTensors.h"
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    uint64_t sum = 0, total = 0;
    for (const auto &[name, tensor] : nlprt::parseSafeTensors({data, size})) {
      total += tensor.bytes;
      for (uint64_t i = 0; i < tensor.bytes; ++i)
        sum += tensor.data[i];
    }
    if (total > size || sum > 255 * total)
      std::abort();
  } catch (const nlprt::Error &) {
  }
  return 0;
}
