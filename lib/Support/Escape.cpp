//===- Escape.cpp - Text of others in messages ------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/Escape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;
using namespace nlp;

/// Bytes of the character at the front of `text`; 0 where it is not valid.
static size_t getLength(StringRef text) {
  size_t length = getNumBytesForUTF8(static_cast<UTF8>(text.front()));
  const auto *bytes = reinterpret_cast<const UTF8 *>(text.data());
  return length <= text.size() && isLegalUTF8Sequence(bytes, bytes + length)
             ? length
             : 0;
}

/// Whether a terminal obeys the character, rather than showing it.
static bool isControl(StringRef character) {
  auto byte = [&](size_t i) {
    return static_cast<unsigned char>(character[i]);
  };
  if (character.size() == 1)
    return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2) // U+0080 to U+009F
    return byte(0) == 0xc2 && byte(1) < 0xa0;
  if (character.size() != 3 || byte(0) != 0xe2)
    return false;
  // U+2028 to U+202E, U+2066 to U+2069: line ends and directions.
  return (byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
         (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
}

static std::string escape(StringRef text, bool keepsLines) {
  std::string escaped;
  while (!text.empty()) {
    size_t length = getLength(text);
    StringRef character = text.take_front(std::max<size_t>(length, 1));
    text = text.drop_front(character.size());
    if (length && (!isControl(character) || (keepsLines && character == "\n")))
      escaped += character;
    else
      for (unsigned char byte : character)
        escaped += "\\x" + utohexstr(byte, /*LowerCase=*/true, /*Width=*/2);
  }
  return escaped;
}

std::string nlp::escapeText(StringRef text) {
  return escape(text, /*keepsLines=*/false);
}

std::string nlp::escapeLines(StringRef text) {
  return escape(text, /*keepsLines=*/true);
}
