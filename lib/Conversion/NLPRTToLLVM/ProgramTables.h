//===- ProgramTables.h - Tables of a compiled program -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPRTTOLLVM_PROGRAMTABLES_H
#define NLP_LIB_CONVERSION_NLPRTTOLLVM_PROGRAMTABLES_H

#include "ConstantTables.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"

namespace nlp::rt {

/// The nlprt_dtype of an element type.
int64_t getDtype(mlir::Type type);

/// The name of a routine's function.
std::string getRoutineFunction(RoutineOp routine);

/// Defines `nlprt_compiled_program`, with all the tables it points to.
void defineProgram(ProgramOp program, ConstantTables &tables);

} // namespace nlp::rt

#endif // NLP_LIB_CONVERSION_NLPRTTOLLVM_PROGRAMTABLES_H
