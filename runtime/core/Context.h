//===- Context.h - One run: threads, last error, trace -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the opaque nlprt_context of the C ABI holds. Kernels take their thread
// count from it, leave the reason of a failure in it, and open a TraceScope so
// that --trace sees them. Nothing here allocates after construction.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_CONTEXT_H
#define NLPRT_CORE_CONTEXT_H

#include "nlprt/nlprt.h"

namespace nlprt {

class Trace;

/// Writes the reason into the context (null allowed) and returns `status`.
nlprt_status fail(nlprt_context *context, nlprt_status status,
                  const char *pattern, ...)
    __attribute__((format(printf, 3, 4)));

/// Records one call from construction to destruction if the context traces.
class TraceScope {
public:
  TraceScope(nlprt_context *context, const nlprt_site *site);
  ~TraceScope();
  TraceScope(const TraceScope &) = delete;

private:
  Trace *trace;
  const nlprt_site *site;
  int64_t start = 0;
};

} // namespace nlprt

struct nlprt_context {
  explicit nlprt_context(int64_t threads);

  int64_t threads;
  nlprt::Trace *trace = nullptr; // not owned
  char error[1024] = {};
};

#endif // NLPRT_CORE_CONTEXT_H
