//===- FakeProgram.h - A compiled program written by hand -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bigram model: logits of the next token are a row of a 256 x 256 table plus
// a bias. Segments and tables are what the compiler emits for a real model, so
// the whole runtime can be tested without one.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_TEST_FAKEPROGRAM_H
#define NLPRT_TEST_FAKEPROGRAM_H

#include "nlprt/nlprt.h"

namespace nlprt::test {

/// Global batch 4, micro-batch 2, 16 tokens a sequence. Stochastic: the
/// gradient carries noise that is drawn from the step's seed.
const nlprt_program &fakeProgram();

/// Called by the update segment with the number of the step, if set.
extern void (*onUpdate)(int64_t step);

} // namespace nlprt::test

#endif // NLPRT_TEST_FAKEPROGRAM_H
