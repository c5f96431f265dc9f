//===- Cpu.cpp - The CPU backend's table -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points that compiled steps call by name are this backend's: see
// runtime/kernels.
//
//===----------------------------------------------------------------------===//

#include "nlprt/backend.h"

#define NLPRT_INT(name)
#define NLPRT_REAL(name)
#define NLPRT_KERNEL(name, signature, fields)                                  \
  nlprt_##name, nlprt_##name##_workspace,

static constexpr nlprt_backend table = {
    "cpu",
    nlprt_parallel,
#include "nlprt/abi.def"
};

const nlprt_backend *nlprt_cpu_backend() { return &table; }
