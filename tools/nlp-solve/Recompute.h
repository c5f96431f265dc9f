//===- Recompute.h - nlp-solve recompute ------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the fastest schedule of a straight-line program within a budget.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TOOLS_NLP_SOLVE_RECOMPUTE_H
#define NLP_TOOLS_NLP_SOLVE_RECOMPUTE_H

#include <string>

namespace nlp {

struct RecomputeArguments {
  std::string instance, output, budget;
  double timeLimit = 0; // seconds; 0 is none
  bool noExact = false;
};

/// Runs the subcommand; returns the tool's exit code.
int runRecompute(const RecomputeArguments &arguments);

} // namespace nlp

#endif // NLP_TOOLS_NLP_SOLVE_RECOMPUTE_H
