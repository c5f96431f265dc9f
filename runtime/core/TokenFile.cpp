//===- TokenFile.cpp - Training data: tokens in a file -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens are copied straight from the mapping, piece by piece where documents
// do not follow one another in the file. Reading allocates nothing.
//
//===----------------------------------------------------------------------===//

#include "core/TokenFile.h"
#include "core/Support.h"
#include "core/TokenTypes.h"
#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace nlprt {

static std::string extensionOf(const std::string &path) {
  size_t dot = path.find_last_of("./");
  return dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot);
}

TokenFile::TokenFile(const std::string &given, int64_t vocabulary)
    : path(given), vocabulary(vocabulary) {
  std::string extension = extensionOf(path);
  if (extension == ".idx") { // its tokens stand in the .bin file
    extension = ".bin";
    path.replace(path.size() - 4, 4, extension);
  }
  file = MappedFile(path);
  MappedFile index;
  std::string indexPath =
      path.substr(0, path.size() - extension.size()) + ".idx";
  bool hasIndex = extension == ".bin" && access(indexPath.c_str(), F_OK) == 0;
  try {
    if (hasIndex)
      index = MappedFile(indexPath);
    layout = parseTokens({file.data(), file.size()},
                         {index.data(), index.size()}, hasIndex, extension);
  } catch (const Error &error) {
    throw Error(path + ": " + error.what());
  }
  if (layout.type == TokenType::U8 && vocabulary < 256 && !hasIndex &&
      extension != ".npy")
    throw Error(nlprt::format(
        "%s: text is read as bytes and needs a vocabulary of 256, but the "
        "model has %lld; give a token file (.bin, .npy)",
        path.c_str(), static_cast<long long>(vocabulary)));
  if (file.size() < size_t(1) << 30) {
    read(0, layout.tokens, nullptr);
    checked = true;
  }
}

template <typename T>
[[noreturn]] static void reportToken(const std::string &path, int64_t position,
                                     T id, int64_t vocabulary) {
  throw Error(format("%s: expected token ids from 0 to %lld, but token %lld of "
                     "the file is %lld",
                     path.c_str(), static_cast<long long>(vocabulary - 1),
                     static_cast<long long>(position),
                     static_cast<long long>(id)));
}

/// Copies from the file, or only checks where `out` is null.
void TokenFile::read(int64_t first, int64_t count, int32_t *out) const {
  if (first < 0 || count < 0 || first > layout.tokens - count)
    throw Error(nlprt::format("%s: expected to read within %lld tokens",
                              path.c_str(),
                              static_cast<long long>(layout.tokens)));
  auto extent = std::upper_bound(
      layout.extents.begin(), layout.extents.end(), first,
      [](int64_t token, const auto &extent) { return token < extent.first; });
  dispatch(layout.type, [&](auto zero) {
    using T = decltype(zero);
    int64_t limit = checked ? INT64_MAX : vocabulary;
    for (int64_t at = first, end = first + count; at < end; ++extent) {
      int64_t last =
          extent == layout.extents.end() ? layout.tokens : extent->first;
      const auto &piece = extent[-1];
      const uint8_t *source =
          file.data() + piece.offset + (at - piece.first) * sizeof(T);
      for (last = std::min(last, end); at < last; ++at, source += sizeof(T)) {
        T id;
        std::memcpy(&id, source, sizeof(T));
        if (static_cast<int64_t>(id) < 0 || static_cast<int64_t>(id) >= limit)
          reportToken(path, at, id, vocabulary);
        if (out)
          *out++ = static_cast<int32_t>(id);
      }
    }
  });
}

} // namespace nlprt
