//===- Escape.h - Text of others in messages --------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names in files may hold bytes that a terminal obeys. Text that comes from
// elsewhere goes through here before it is part of a message.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_SUPPORT_ESCAPE_H
#define NLP_SUPPORT_ESCAPE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace nlp {

/// `text` with control characters, invalid UTF-8 and marks that change the
/// direction of writing as \xNN, byte by byte. All else stays as it is.
std::string escapeText(llvm::StringRef text);

/// The same, but line breaks stay: for a whole message.
std::string escapeLines(llvm::StringRef text);

} // namespace nlp

#endif // NLP_SUPPORT_ESCAPE_H
