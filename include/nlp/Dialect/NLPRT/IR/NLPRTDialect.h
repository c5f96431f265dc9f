//===- NLPRTDialect.h - The nlprt dialect and its ops -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLPRT_IR_NLPRTDIALECT_H
#define NLP_DIALECT_NLPRT_IR_NLPRTDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h.inc"
#include "nlp/Dialect/NLPRT/IR/NLPRTEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nlp/Dialect/NLPRT/IR/NLPRTAttrs.h.inc"

#include "nlp/Dialect/NLPRT/IR/NLPRTInterfaces.h.inc"

#define GET_OP_CLASSES
#include "nlp/Dialect/NLPRT/IR/NLPRTOps.h.inc"

namespace nlp::rt {
/// True for memrefs that may stand for a place in the arena: dense, row-major,
/// default memory space, sizes of 1 or more, no more than 2^56 bytes.
bool isBufferType(mlir::Type type);

/// Bytes of a dense buffer of `type`.
int64_t getBufferBytes(mlir::MemRefType type);

/// The `alloc` or `get` whose bytes `buffer` shows, through any views; adds the
/// views' offsets to `offset` where given.
mlir::Value getBufferRoot(mlir::Value buffer, int64_t *offset = nullptr);
} // namespace nlp::rt

#endif // NLP_DIALECT_NLPRT_IR_NLPRTDIALECT_H
