//===- Pack.h - nlp-solve pack ----------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs buffers with known lifetimes into one arena.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TOOLS_NLP_SOLVE_PACK_H
#define NLP_TOOLS_NLP_SOLVE_PACK_H

#include <string>

namespace nlp {

struct PackArguments {
  std::string instance, output, capacity;
  double timeLimit = 0; // seconds; 0 is none
};

/// Runs the subcommand; returns the tool's exit code.
int runPack(const PackArguments &arguments);

} // namespace nlp

#endif // NLP_TOOLS_NLP_SOLVE_PACK_H
