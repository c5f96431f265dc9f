//===- Finite.h - No infinity, no NaN is saved -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loss of a step is computed before its update: an update that overflows
// shows in the loss of the next step only, which the last step does not have.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_FINITE_H
#define NLPRT_CORE_FINITE_H

#include "nlprt/nlprt.h"
#include <span>
#include <string>

namespace nlprt {

/// Throws an Error that names the first tensor with an element that is not
/// finite; `path` is what is not written because of it.
void checkFinite(const std::string &path, std::span<const nlprt_tensor> tensors,
                 const char *arena);

} // namespace nlprt

#endif // NLPRT_CORE_FINITE_H
