/*===- TinyRuntime.c - Just enough to run a compiled step -----------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills parameters with ones, runs the schedule, prints the figures.
//
//===----------------------------------------------------------------------===*/

#include "nlprt/nlprt.h"
#include <stdio.h>
#include <stdlib.h>

nlprt_status nlprt_parallel(nlprt_context *context, const nlprt_site *site,
                            nlprt_body body, int64_t items,
                            void *const *buffers) {
  (void)context;
  fprintf(stderr, "%s %s %lld %lld\n", site->kernel, site->place,
          (long long)site->flops, (long long)site->bytes);
  body(0, items, buffers);
  return NLPRT_OK;
}

int nlprt_main(const nlprt_program *program, int argc, char **argv) {
  (void)argc;
  (void)argv;
  char *arena = aligned_alloc(64, (size_t)program->arena_bytes);
  for (int64_t i = 0; i < program->parameter_count; ++i) {
    const nlprt_tensor *tensor = &program->parameters[i].tensor;
    for (int64_t j = 0; j < tensor->bytes / 4; ++j)
      ((float *)(arena + tensor->offset))[j] = 1.0f;
  }
  for (int64_t i = 0; i < program->run_count; ++i) {
    const nlprt_run *run = &program->runs[i];
    nlprt_status status =
        program->segments[run->segment].run(NULL, arena, run->micro_batch);
    if (status != NLPRT_OK)
      return 10 + (int)status;
  }
  for (int64_t i = 0; i < program->figure_count; ++i)
    printf("%s %g\n", program->figures[i].tensor.name,
           *(float *)(arena + program->figures[i].tensor.offset));
  free(arena);
  return 0;
}
