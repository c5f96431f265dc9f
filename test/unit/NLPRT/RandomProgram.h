//===- RandomProgram.h - Small programs at random ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TEST_UNIT_NLPRT_RANDOMPROGRAM_H
#define NLP_TEST_UNIT_NLPRT_RANDOMPROGRAM_H

#include <cstdint>
#include <string>

/// The text of a program that reads nothing before it is written: forward,
/// backward, update and evaluation of one to three micro-batches, with all
/// kinds of buffers, views, workspaces and writes in place.
std::string makeRandomProgram(uint64_t seed);

#endif // NLP_TEST_UNIT_NLPRT_RANDOMPROGRAM_H
