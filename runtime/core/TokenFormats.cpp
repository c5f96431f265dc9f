//===- TokenFormats.cpp - Headers of token files -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every number in a header is checked against the bytes that are there before
// it is used. All formats are little endian.
//
//===----------------------------------------------------------------------===//

#include "core/Support.h"
#include "core/TokenFile.h"
#include "core/TokenTypes.h"
#include <cstring>
#include <limits>
#include <string_view>

namespace nlprt {

using Bytes = std::span<const uint8_t>;

template <typename T> static T readAt(Bytes bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

static long long printable(uint64_t value) {
  return static_cast<long long>(value);
}

/// `count` tokens in one piece from `offset`.
static TokenLayout inOnePiece(const char *name, TokenType type, int64_t count,
                              int64_t offset) {
  return {name, type, count, {{0, offset}}};
}

static TokenLayout parseLlmC(Bytes file, bool wide) {
  constexpr size_t header = 1024;
  if (file.size() < header)
    throw Error(format("expected an llm.c header of 1024 bytes, but got %zu",
                       file.size()));
  int32_t version = readAt<int32_t>(file, 4);
  int32_t count = readAt<int32_t>(file, 8);
  int32_t wanted = wide ? 7 : 1;
  if (version != wanted)
    throw Error(format("expected version %d of llm.c's tokens, but got %d",
                       wanted, version));
  int64_t size = wide ? 4 : 2,
          body = static_cast<int64_t>(file.size() - header);
  if (count < 0 || body != int64_t(count) * size)
    throw Error(format("expected %d tokens of %lld bytes after the header, but "
                       "got %lld bytes",
                       count, printable(size), printable(body)));
  return inOnePiece("llm.c tokens", wide ? TokenType::U32 : TokenType::U16,
                    count, header);
}

static TokenLayout parseNanoGpt(Bytes file) {
  if (file.size() % 2 != 0)
    throw Error(format("expected tokens of 2 bytes, but got a file of %zu "
                       "bytes: it is damaged",
                       file.size()));
  return inOnePiece("16-bit tokens", TokenType::U16, file.size() / 2, 0);
}

/// The text of a Python dict's value after 'key':, without leading blanks.
static std::string_view pythonValue(std::string_view dict,
                                    std::string_view key) {
  size_t at = dict.find(key);
  if (at == std::string_view::npos)
    throw Error("expected " + std::string(key) + " in the .npy header");
  at = dict.find_first_not_of(" :", at + key.size());
  return at == std::string_view::npos ? "" : dict.substr(at);
}

static TokenType npyType(std::string_view text) {
  static constexpr struct {
    std::string_view name;
    TokenType type;
  } types[] = {{"'|u1'", TokenType::U8},  {"'|i1'", TokenType::I8},
               {"'<u2'", TokenType::U16}, {"'<i2'", TokenType::I16},
               {"'<u4'", TokenType::U32}, {"'<i4'", TokenType::I32},
               {"'<i8'", TokenType::I64}};
  for (const auto &type : types)
    if (text.starts_with(type.name))
      return type.type;
  throw Error("expected .npy elements of an integer type ('<u2', '<i4', ...), "
              "but got " +
              std::string(text.substr(0, text.find(','))));
}

/// The one number of a shape "(N,)".
static int64_t npyLength(std::string_view text) {
  size_t end = text.find(')');
  std::string_view inside =
      text.starts_with("(") && end != std::string_view::npos
          ? text.substr(1, end - 1)
          : "";
  int64_t value = 0;
  size_t i = 0;
  for (; i < inside.size() && inside[i] >= '0' && inside[i] <= '9'; ++i) {
    if (value > std::numeric_limits<int64_t>::max() / 10 - 10)
      break;
    value = value * 10 + (inside[i] - '0');
  }
  if (i == 0 || i + 1 != inside.size() || inside[i] != ',')
    throw Error("expected a .npy array of one dimension, but got shape " +
                std::string(text.substr(0, std::min<size_t>(end, 40) + 1)));
  return value;
}

static TokenLayout parseNpy(Bytes file) {
  if (file.size() < 12 || std::memcmp(file.data(), "\x93NUMPY", 6) != 0)
    throw Error("expected a .npy file, but its first bytes are others");
  int major = file[6];
  if (major < 1 || major > 3)
    throw Error(format("expected .npy version 1, 2 or 3, but got %d", major));
  size_t start = major == 1 ? 10 : 12;
  size_t length =
      major == 1 ? readAt<uint16_t>(file, 8) : readAt<uint32_t>(file, 8);
  if (length > file.size() - start)
    throw Error(format("expected a .npy header of %zu bytes, but the file ends "
                       "after %zu",
                       length, file.size() - start));
  std::string_view dict(reinterpret_cast<const char *>(file.data()) + start,
                        length);
  TokenType type = npyType(pythonValue(dict, "'descr'"));
  int64_t count = npyLength(pythonValue(dict, "'shape'"));
  uint64_t body = file.size() - start - length;
  if (body % sizeOf(type) != 0 ||
      body / sizeOf(type) != static_cast<uint64_t>(count))
    throw Error(format("expected %lld elements of %lld bytes after the .npy "
                       "header, but got %lld bytes",
                       printable(count), printable(sizeOf(type)),
                       printable(body)));
  return inOnePiece("tokens of a .npy array", type, count, start + length);
}

static TokenType megatronType(int code) {
  switch (code) {
  case 1:
    return TokenType::U8;
  case 2:
    return TokenType::I8;
  case 3:
    return TokenType::I16;
  case 4:
    return TokenType::I32;
  case 5:
    return TokenType::I64;
  case 8:
    return TokenType::U16;
  default:
    throw Error(format(
        "expected an integer type in the .idx file, but got code %d", code));
  }
}

static TokenLayout parseMegatron(Bytes file, Bytes index) {
  constexpr size_t header = 34;
  if (index.size() < header || std::memcmp(index.data(), "MMIDIDX\0\0", 9) != 0)
    throw Error("expected a Megatron .idx header of 34 bytes");
  if (uint64_t version = readAt<uint64_t>(index, 9); version != 1)
    throw Error(format("expected version 1 of the .idx file, but got %lld",
                       printable(version)));
  TokenType type = megatronType(index[17]);
  uint64_t sequences = readAt<uint64_t>(index, 18);
  // 12 bytes for each sequence: an i32 length and an i64 position.
  if (sequences > (index.size() - header) / 12)
    throw Error(format("expected %lld sequences in the .idx file, but it ends "
                       "after %zu bytes",
                       printable(sequences), index.size()));
  TokenLayout layout{"Megatron tokens", type, 0, {}};
  uint64_t size = sizeOf(type), next = 0;
  for (uint64_t i = 0; i < sequences; ++i) {
    int32_t length = readAt<int32_t>(index, header + 4 * i);
    int64_t offset = readAt<int64_t>(index, header + 4 * sequences + 8 * i);
    uint64_t bytes = length < 0 ? 0 : uint64_t(length) * size;
    if (length < 0 || offset < 0 || uint64_t(offset) > file.size() ||
        bytes > file.size() - uint64_t(offset))
      throw Error(format("expected sequence %lld inside the .bin file of %zu "
                         "bytes, but it is %d tokens from byte %lld",
                         printable(i), file.size(), length, printable(offset)));
    if (length == 0)
      continue;
    if (layout.extents.empty() || next != uint64_t(offset))
      layout.extents.push_back({layout.tokens, offset});
    if (layout.tokens > std::numeric_limits<int64_t>::max() - length)
      throw Error("the .idx file names more tokens than can be counted");
    layout.tokens += length;
    next = offset + bytes;
  }
  return layout;
}

TokenLayout parseTokens(Bytes file, Bytes index, bool hasIndex,
                        const std::string &extension) {
  if (hasIndex)
    return parseMegatron(file, index);
  if (extension == ".npy")
    return parseNpy(file);
  if (extension == ".bin") {
    uint32_t magic = file.size() >= 4 ? readAt<uint32_t>(file, 0) : 0;
    if (magic == 20240520 || magic == 20240801)
      return parseLlmC(file, magic == 20240801);
    return parseNanoGpt(file);
  }
  return inOnePiece("bytes of text", TokenType::U8, file.size(), 0);
}

} // namespace nlprt
