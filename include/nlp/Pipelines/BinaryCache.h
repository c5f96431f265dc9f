//===- BinaryCache.h - Training binaries by content ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PIPELINES_BINARYCACHE_H
#define NLP_PIPELINES_BINARYCACHE_H

#include "nlp/Pipelines/CompileSession.h"

namespace nlp {

/// The path of a training binary for a plan: from the cache
/// (`$NLP_OPT_CACHE`, else `$XDG_CACHE_HOME/nlp-opt`, else `~/.cache/nlp-opt`)
/// where one was compiled from the same runtime program by the same compiler
/// for the same CPU, and is whole; else compiled now. The newest 16 are kept.
llvm::Expected<std::string> compileCached(PlanResult &result,
                                          const CompileRequest &request);

} // namespace nlp

#endif // NLP_PIPELINES_BINARYCACHE_H
