//===- RecomputeInstance.h - Straight-line programs as JSON -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   {"constants": [{"id": 0, "bytes": 64}],
//    "ops": [{"name": "relu", "seconds": 0.5, "inputs": [0],
//             "outputs": [{"id": 1, "bytes": 64, "alias_of": null}]}],
//    "results": [1]}
//
// Ids are any integers, each defined once, before it is used. A value with
// `alias_of` lies in the bytes of the value named, and keeps them alive. An op
// with `"can_repeat": false` runs once, behind those before it that have that.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TOOLS_NLP_SOLVE_RECOMPUTEINSTANCE_H
#define NLP_TOOLS_NLP_SOLVE_RECOMPUTEINSTANCE_H

#include "nlp/Solver/Recompute.h"
#include "llvm/Support/Error.h"

namespace nlp {

struct RecomputeInstance {
  solver::RecomputeProblem problem;
  std::vector<int64_t> ids; ///< Of each value of the problem, as in the file.
  std::vector<std::string> opNames;
};

/// Reads the file `path`. What it returns has passed the problem's check.
llvm::Expected<RecomputeInstance> readRecomputeInstance(llvm::StringRef path);

/// The schedule and its figures as JSON.
std::string printSchedule(const RecomputeInstance &instance,
                          const solver::RecomputeSolution &solution);

} // namespace nlp

#endif // NLP_TOOLS_NLP_SOLVE_RECOMPUTEINSTANCE_H
