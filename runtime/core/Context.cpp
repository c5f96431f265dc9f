//===- Context.cpp - One run: threads, last error, work sharing -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work is shared by OpenMP (libgomp, whose pool oneDNN uses too). Items are cut
// into one contiguous range per thread; an item does the same whatever range it
// is in, so the thread count changes no result. Every parallel region has the
// same number of threads, since libgomp allocates when the number changes.
//
//===----------------------------------------------------------------------===//

#include "core/Context.h"
#include "core/Trace.h"
#include "nlprt/backend.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <new>
#include <omp.h>

using namespace nlprt;

nlprt_context::nlprt_context(int64_t threads)
    : threads(std::max<int64_t>(threads, 1)) {
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(this->threads));
}

nlprt_status nlprt::fail(nlprt_context *context, nlprt_status status,
                         const char *pattern, ...) {
  if (context) {
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(context->error, sizeof(context->error), pattern, arguments);
    va_end(arguments);
  }
  return status;
}

TraceScope::TraceScope(nlprt_context *context, const nlprt_site *site)
    : trace(context ? context->trace : nullptr), site(site) {
  if (trace)
    start = Trace::now();
}

TraceScope::~TraceScope() {
  if (trace)
    trace->record(site, start, Trace::now());
}

nlprt_status nlprt_parallel(nlprt_context *context, const nlprt_site *site,
                            nlprt_body body, int64_t items,
                            void *const *buffers) {
  if (items <= 0)
    return NLPRT_OK;
  TraceScope scope(context, site);
  int64_t threads = context->threads;
  if (threads == 1 || items == 1) {
    body(0, items, buffers);
    return NLPRT_OK;
  }
#pragma omp parallel num_threads(static_cast<int>(threads))
  {
    int64_t count = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t share = items / count, rest = items % count;
    int64_t begin = thread * share + std::min(thread, rest);
    int64_t end = begin + share + (thread < rest ? 1 : 0);
    if (begin < end)
      body(begin, end, buffers);
  }
  return NLPRT_OK;
}

nlprt_context *nlprt_context_create(int64_t threads) {
  return new (std::nothrow) nlprt_context(threads);
}

void nlprt_context_destroy(nlprt_context *context) { delete context; }

const char *nlprt_context_error(const nlprt_context *context) {
  return context->error;
}
