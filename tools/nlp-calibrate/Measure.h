//===- Measure.h - Rates of the machine at hand -----------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TOOLS_CALIBRATE_MEASURE_H
#define NLP_TOOLS_CALIBRATE_MEASURE_H

#include "nlprt/nlprt.h"
#include <cstdint>
#include <optional>

namespace nlp {

/// Operations per second of dense matrix products of `dtype`: the median over
/// shapes of a Transformer. Empty where this machine has no such product.
std::optional<double> measureProducts(nlprt_context *context, nlprt_dtype dtype,
                                      int64_t threads);

/// Bytes per second, read and written together, of a copy that no cache holds,
/// as far as `memoryBytes` allow.
double measureCopy(nlprt_context *context, int64_t memoryBytes);

/// Operations per second of vector arithmetic in f32 on data in registers.
double measureVectors(nlprt_context *context, int64_t threads);

/// Seconds that a parallel call takes at least.
double measureLaunch(nlprt_context *context, int64_t threads);

} // namespace nlp

#endif // NLP_TOOLS_CALIBRATE_MEASURE_H
