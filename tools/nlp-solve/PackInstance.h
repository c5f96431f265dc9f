//===- PackInstance.h - Packing problems as tables --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of comma-separated values with a header line. Columns, in any order:
// id, lower (or begin), upper (or end): the half-open lifetime, size;
// optionally alignment, and offset, which fixes a buffer's place where it is
// not empty. Other columns are passed through.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TOOLS_NLP_SOLVE_PACKINSTANCE_H
#define NLP_TOOLS_NLP_SOLVE_PACKINSTANCE_H

#include "nlp/Solver/ArenaPacking.h"
#include "llvm/Support/Error.h"

namespace nlp {

struct PackInstance {
  solver::PackingProblem problem;
  /// The header and the rows as they were read, without an offset column.
  std::string header;
  std::vector<std::string> rows;
};

/// Reads `text`; errors go by the name `fileName` and the line.
llvm::Expected<PackInstance> readPackInstance(llvm::StringRef text,
                                              llvm::StringRef fileName);

/// The instance's table with the column offset behind it.
std::string printPacking(const PackInstance &instance,
                         const solver::PackingSolution &solution);

} // namespace nlp

#endif // NLP_TOOLS_NLP_SOLVE_PACKINSTANCE_H
