//===- TokenFile.h - Training data: tokens in a file -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats: nanoGPT .bin (uint16), llm.c .bin (header, uint16 or uint32), NumPy
// .npy (one dimension), Megatron .bin beside .idx (documents in a row), and any
// other file as text, a token per byte. The parser sees bytes only, so that a
// fuzzer can drive it; it allocates nothing that the bytes ask for.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_TOKENFILE_H
#define NLPRT_CORE_TOKENFILE_H

#include "core/MappedFile.h"
#include <span>
#include <string>
#include <vector>

namespace nlprt {

enum class TokenType { U8, I8, U16, I16, U32, I32, I64 };

/// Where tokens lie in a file. Extents follow one another in the order of the
/// tokens; `first` is the number of tokens before the extent.
struct TokenLayout {
  struct Extent {
    int64_t first, offset; // in tokens, in bytes
  };
  const char *format = "";
  TokenType type = TokenType::U8;
  int64_t tokens = 0;
  std::vector<Extent> extents;
};

/// Parses a file whose name ends in `extension` (".bin", ".npy", else text);
/// `index` is the .idx file if there is one. Throws Error without a path.
TokenLayout parseTokens(std::span<const uint8_t> file,
                        std::span<const uint8_t> index, bool hasIndex,
                        const std::string &extension);

class TokenFile {
public:
  /// Opens `path`. Checks that every id is below `vocabulary`: now if the file
  /// is smaller than 1 GiB, else when read. Throws Error.
  TokenFile(const std::string &path, int64_t vocabulary);

  int64_t tokens() const { return layout.tokens; }
  const char *format() const { return layout.format; }

  /// Copies tokens [first, first + count). Throws Error on an id outside the
  /// vocabulary.
  void read(int64_t first, int64_t count, int32_t *out) const;

private:
  std::string path;
  int64_t vocabulary;
  MappedFile file;
  TokenLayout layout;
  bool checked = false;
};

} // namespace nlprt

#endif // NLPRT_CORE_TOKENFILE_H
