//===- Options.h - What the interpreter is told -----------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TOOLS_NLP_INTERPRET_OPTIONS_H
#define NLP_TOOLS_NLP_INTERPRET_OPTIONS_H

#include "nlp/Reference/CheckGradients.h"
#include "nlp/Reference/TrainingRun.h"

namespace nlp {

struct InterpretOptions {
  std::string module;
  ref::RunOptions run;
  std::string metrics, save, saveGradients;
  /// The module to compare with; none where empty.
  std::string compare;
  double tolerance = 0.0;
  /// Set where gradients are to be checked.
  std::optional<ref::GradientCheckOptions> check;
};

/// Reads the command line; returns the exit code where that ends the program.
std::optional<int> parseOptions(int argc, char **argv,
                                InterpretOptions &options);

} // namespace nlp

#endif // NLP_TOOLS_NLP_INTERPRET_OPTIONS_H
