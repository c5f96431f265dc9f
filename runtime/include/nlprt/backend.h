/*===- backend.h - The entry points of a backend --------------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backend is a table of functions, generated from abi.def: one to run and one
// to size the workspace for each library kernel, and how work is shared. A new
// one starts as a copy of backends/null and is done when it passes
// test/conformance.
//
// Compiled steps call the entry points of nlprt.h by name; a training binary is
// linked with the one backend that it was compiled for. The tables are for code
// that holds several at once: tests and measurements.
//
//===----------------------------------------------------------------------===*/

#ifndef NLPRT_BACKEND_H
#define NLPRT_BACKEND_H

#include "nlprt/nlprt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NLPRT_INT(name)
#define NLPRT_REAL(name)
#define NLPRT_KERNEL(name, signature, fields)                                  \
  nlprt_status (*name)(nlprt_context *, const nlprt_site *,                    \
                       const nlprt_##name##_params *, void *const *buffers);   \
  int64_t (*name##_workspace)(const nlprt_##name##_params *, int64_t threads);

typedef struct {
  const char *name;
  nlprt_status (*parallel)(nlprt_context *, const nlprt_site *, nlprt_body,
                           int64_t items, void *const *buffers);
#include "nlprt/abi.def"
} nlprt_backend;

#undef NLPRT_KERNEL
#undef NLPRT_INT
#undef NLPRT_REAL

/* oneDNN, generated kernels and OpenMP: what training binaries run on. */
const nlprt_backend *nlprt_cpu_backend(void);

/* Every kernel by its definition, in double precision and on one thread: the
   reference, and the template of a new backend. */
const nlprt_backend *nlprt_null_backend(void);

/* A context of `threads` threads, null where memory is out; its owner hands it
   back to nlprt_context_destroy. */
nlprt_context *nlprt_context_create(int64_t threads);
void nlprt_context_destroy(nlprt_context *context);
/* Why the last call with this context failed; "" if it did not say. */
const char *nlprt_context_error(const nlprt_context *context);

#ifdef __cplusplus
}
#endif

#endif /* NLPRT_BACKEND_H */
