//===- TokenFileFuzzer.cpp - Any bytes as token files -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte picks the format and, for Megatron's, the second how the rest
// is split into index and tokens. What is accepted must lie within the bytes.
//
//===----------------------------------------------------------------------===//

#include "core/Support.h"
#include "core/TokenFile.h"
#include "core/TokenTypes.h"
#include <algorithm>
#include <cstdlib>

using namespace nlprt;

static void checkLayout(const TokenLayout &layout, size_t size) {
  int64_t width = sizeOf(layout.type);
  for (size_t i = 0; i < layout.extents.size(); ++i) {
    int64_t first = layout.extents[i].first;
    int64_t last = i + 1 < layout.extents.size() ? layout.extents[i + 1].first
                                                 : layout.tokens;
    int64_t end = layout.extents[i].offset + (last - first) * width;
    if (last < first || layout.extents[i].offset < 0 || end < 0 ||
        static_cast<size_t>(end) > size)
      std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  static const char *const extensions[] = {".bin", ".npy", ".txt", ".bin"};
  bool hasIndex = data[0] % 4 == 3;
  std::span<const uint8_t> rest(data + 2, size - 2);
  size_t cut = hasIndex ? std::min<size_t>(data[1], rest.size()) : 0;
  try {
    auto tokens = rest.subspan(cut);
    checkLayout(
        parseTokens(tokens, rest.first(cut), hasIndex, extensions[data[0] % 4]),
        tokens.size());
  } catch (const Error &) {
  }
  return 0;
}
