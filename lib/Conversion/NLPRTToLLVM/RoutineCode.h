//===- RoutineCode.h - Functions of routines --------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPRTTOLLVM_ROUTINECODE_H
#define NLP_LIB_CONVERSION_NLPRTTOLLVM_ROUTINECODE_H

#include "ConstantTables.h"
#include "KernelSet.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"

namespace nlp::rt {

/// Appends to the module the function of `routine`, whose program has been
/// checked: `i32 run(ptr context, ptr arena, i64 micro_batch)`.
void emitRoutine(RoutineOp routine, KernelSet &kernels, ConstantTables &tables);

/// Checks that everything in `program` can be emitted: offsets are planned,
/// kernels have the parameters, shapes and workspaces that they need.
mlir::LogicalResult checkProgram(ProgramOp program);

/// Checks the place of a buffer, or of an `alloc`, in the arena of `program`,
/// and what it is for; passes over other ops.
mlir::LogicalResult checkBuffer(mlir::Operation *op, ProgramOp program);

} // namespace nlp::rt

#endif // NLP_LIB_CONVERSION_NLPRTTOLLVM_ROUTINECODE_H
