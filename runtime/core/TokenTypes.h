//===- TokenTypes.h - Integer types of tokens -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_TOKENTYPES_H
#define NLPRT_CORE_TOKENTYPES_H

#include "core/TokenFile.h"

namespace nlprt {

/// Calls `action` with a value of the C++ type that `type` stands for.
template <typename Action> auto dispatch(TokenType type, Action action) {
  switch (type) {
  case TokenType::U8:
    return action(uint8_t());
  case TokenType::I8:
    return action(int8_t());
  case TokenType::U16:
    return action(uint16_t());
  case TokenType::I16:
    return action(int16_t());
  case TokenType::U32:
    return action(uint32_t());
  case TokenType::I32:
    return action(int32_t());
  case TokenType::I64:
    break;
  }
  return action(int64_t());
}

inline int64_t sizeOf(TokenType type) {
  return dispatch(type, [](auto zero) -> int64_t { return sizeof(zero); });
}

} // namespace nlprt

#endif // NLPRT_CORE_TOKENTYPES_H
