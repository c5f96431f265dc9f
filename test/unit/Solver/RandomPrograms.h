//===- RandomPrograms.h - Small programs by chance --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random straight-line programs with shared bytes, in-place outputs and
// workspaces, and random schedules of them.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TEST_UNIT_SOLVER_RANDOMPROGRAMS_H
#define NLP_TEST_UNIT_SOLVER_RANDOMPROGRAMS_H

#include "nlp/Solver/Recompute.h"
#include <random>

namespace nlp::test {

using Random = std::mt19937_64;

/// A whole number from `low` to `high`.
inline int64_t draw(Random &random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % (high - low + 1));
}

/// A random graph: each op reads up to three earlier values. Some ops make
/// views, work in place, need a workspace or may not repeat; with `isFixed` the
/// second half runs once, in order.
nlp::solver::RecomputeProblem makeRandomProgram(Random &random, int32_t ops,
                                                bool isFixed);

/// A chain of layers of random ops with skips inside of a layer, then a
/// backward pass that reads random values of each. With `hasInputs` an op that
/// may not repeat makes two more values at the start, which ops of either pass
/// read, and one in each layer takes no bytes.
nlp::solver::RecomputeProblem makeRandomChain(Random &random, int32_t layers,
                                              bool areAlike,
                                              bool hasInputs = false);

/// A valid schedule that drops values at random and makes them again when they
/// are read.
nlp::solver::RecomputeSolution
makeRandomSchedule(Random &random,
                   const nlp::solver::RecomputeProblem &problem);

} // namespace nlp::test

#endif // NLP_TEST_UNIT_SOLVER_RANDOMPROGRAMS_H
