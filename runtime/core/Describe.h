//===- Describe.h - What a training program says of itself -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_DESCRIBE_H
#define NLPRT_CORE_DESCRIBE_H

#include "nlprt/nlprt.h"
#include <string>

namespace nlprt {

/// Number of parameters' elements.
int64_t countParameters(const nlprt_program &program);

/// Sizes, segments and schedule, then the plan as JSON.
std::string describeProgram(const nlprt_program &program);

/// The plan as JSON.
std::string describePlan(const nlprt_program &program);

} // namespace nlprt

#endif // NLPRT_CORE_DESCRIBE_H
