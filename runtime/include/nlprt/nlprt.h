/*===- nlprt.h - What compiled steps and the runtime say to each other ----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C ABI. A compiled step is one object file that defines the constant
// `nlprt_compiled_program`: tables of tensors with arena offsets, segments as
// functions, and the schedule. The runtime allocates the arena once, fills in
// inputs and scalars, and calls the segments; it computes nothing of the model.
//
// All functions return a status; nothing here exits the process.
//
//===----------------------------------------------------------------------===*/

#ifndef NLPRT_NLPRT_H
#define NLPRT_NLPRT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NLPRT_ABI_VERSION 1

typedef enum {
  NLPRT_OK = 0,
  NLPRT_INVALID = 1,       /* bad argument or input */
  NLPRT_OUT_OF_MEMORY = 2, /* the arena or a library object */
  NLPRT_UNSUPPORTED = 3,   /* this backend or machine cannot do it */
  NLPRT_FAILED = 4         /* a library call or system call failed */
} nlprt_status;

typedef enum {
  NLPRT_F32 = 0,
  NLPRT_BF16 = 1,
  NLPRT_F16 = 2,
  NLPRT_F64 = 3,
  NLPRT_I8 = 4,
  NLPRT_I32 = 5,
  NLPRT_I64 = 6
} nlprt_dtype;

/* One run of one program: backend, threads, last error. Opaque. */
typedef struct nlprt_context nlprt_context;

/* Where a call comes from; constant data of the compiled step. */
typedef struct {
  const char *kernel; /* "matmul", "layer_norm", ... */
  const char *place;  /* user-level place: "h.3.attn" */
  int64_t flops;
  int64_t bytes;
} nlprt_site;

/* A generated kernel: does work items [begin, end). Items are fixed by shape,
   so results do not depend on how they are spread over threads. */
typedef void (*nlprt_body)(int64_t begin, int64_t end, void *const *buffers);

/* Runs `body` over items [0, items) on the threads of the context. */
nlprt_status nlprt_parallel(nlprt_context *context, const nlprt_site *site,
                            nlprt_body body, int64_t items,
                            void *const *buffers);

/* Library kernels and their parameter structs: one list, read by both sides.
   All fields are int64_t or double, so a struct is an array of 8-byte words. */
#define NLPRT_INT(name) int64_t name;
#define NLPRT_REAL(name) double name;
#define NLPRT_KERNEL(name, signature, fields)                                  \
  typedef struct {                                                             \
    fields                                                                     \
  } nlprt_##name##_params;                                                     \
  nlprt_status nlprt_##name(nlprt_context *context, const nlprt_site *site,    \
                            const nlprt_##name##_params *params,               \
                            void *const *buffers);                             \
  /* Bytes of workspace that the call needs with up to `threads` threads; the \
     same function answers the compiler's planner and the runtime's check. */  \
  int64_t nlprt_##name##_workspace(const nlprt_##name##_params *params,        \
                                   int64_t threads);
#include "nlprt/abi.def"
#undef NLPRT_KERNEL
#undef NLPRT_INT
#undef NLPRT_REAL

/* Tables of a compiled program. Strings and arrays are constant data. */

typedef struct {
  const char *name;
  int64_t dtype; /* nlprt_dtype */
  int64_t rank;
  const int64_t *shape;
  int64_t offset; /* bytes from the start of the arena */
  int64_t bytes;
} nlprt_tensor;

typedef enum {
  NLPRT_INIT_ZEROS = 0,
  NLPRT_INIT_ONES = 1,
  NLPRT_INIT_NORMAL = 2
} nlprt_init;

typedef struct {
  nlprt_tensor tensor;
  int64_t init; /* nlprt_init */
  double init_scale;
  int64_t decay;  /* weight decay applies */
  int64_t frozen; /* never updated */
} nlprt_parameter;

typedef enum { NLPRT_TOKENS = 0, NLPRT_TARGETS = 1 } nlprt_role;
typedef enum { NLPRT_LOSS = 0, NLPRT_GRAD_NORM = 1 } nlprt_figure;
typedef enum {
  NLPRT_LEARNING_RATE = 0,
  NLPRT_BETA1 = 1,
  NLPRT_BETA2 = 2,
  NLPRT_EPSILON = 3,
  NLPRT_WEIGHT_DECAY = 4,
  NLPRT_MOMENTUM = 5,
  NLPRT_MAX_GRAD_NORM = 6,
  NLPRT_STEP_NUMBER = 7,   /* i64, from 1 */
  NLPRT_STEP_SEED = 8,     /* i64, mixes the run's seed and the step */
  NLPRT_FIRST_SEQUENCE = 9 /* i64, set before each run of a segment */
} nlprt_scalar;

/* An arena location with a meaning: `kind` is a role, figure or scalar. The
   same kind may occur more than once (a value read by several segments). */
typedef struct {
  int64_t kind;
  int64_t segment; /* that reads or writes it; -1: any */
  nlprt_tensor tensor;
} nlprt_port;

typedef enum {
  NLPRT_FORWARD = 0,
  NLPRT_BACKWARD = 1,
  NLPRT_FORWARD_BACKWARD = 2,
  NLPRT_WEIGHT_GRADIENT = 3,
  NLPRT_UPDATE = 4,
  NLPRT_EVALUATE = 5
} nlprt_segment_kind;

/* Runs a segment for one micro-batch. */
typedef nlprt_status (*nlprt_segment_fn)(nlprt_context *context, char *arena,
                                         int64_t micro_batch);

typedef struct {
  const char *name;
  int64_t kind; /* nlprt_segment_kind */
  nlprt_segment_fn run;
} nlprt_segment;

typedef struct {
  int64_t segment;
  int64_t micro_batch;
} nlprt_run;

typedef struct {
  int64_t abi_version;
  const char *model;
  const char *plan_json; /* the plan, for --describe */
  int64_t arena_bytes;
  int64_t arena_alignment;
  int64_t planned_threads; /* workspaces suffice for so many */
  int64_t global_batch, micro_batch, seq_len, vocab_size;
  int64_t parameter_count;
  const nlprt_parameter *parameters;
  int64_t state_count;
  const nlprt_tensor *states; /* zero at the start, saved in checkpoints */
  int64_t input_count;
  const nlprt_port *inputs;
  int64_t scalar_count;
  const nlprt_port *scalars;
  int64_t figure_count;
  const nlprt_port *figures;
  int64_t segment_count;
  const nlprt_segment *segments;
  int64_t run_count;
  const nlprt_run *runs; /* one training step, in order */
} nlprt_program;

extern const nlprt_program nlprt_compiled_program;

/* The training program's main: parses options, trains, returns an exit code
   (0, 1, 2, 75; see the README). `main` of a training binary calls this. */
int nlprt_main(const nlprt_program *program, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif /* NLPRT_NLPRT_H */
