//===- FormatNumber.h - Numbers in messages -------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_IMPORT_FORMATNUMBER_H
#define NLP_LIB_IMPORT_FORMATNUMBER_H

#include <charconv>
#include <string>

namespace nlp {

/// The shortest text that reads back as `value`: "0.1".
inline std::string formatNumber(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + 32, value).ptr);
}

} // namespace nlp

#endif // NLP_LIB_IMPORT_FORMATNUMBER_H
