//===- KernelCatalogue.cpp - Kernels that a launch may name ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/IR/KernelCatalogue.h"
#include "llvm/ADT/SmallVector.h"

using namespace nlp::rt;

/// One line a kernel: name, fewest and most reads, results, library call or
/// not, results that may share bytes with inputs.
static const KernelInfo kernels[] = {
    {"fill", 0, 0, 1, false, {}},
    {"copy", 1, 1, 1, false, {}},
    {"column_sum", 1, 1, 1, false, {}},
    {"rope", 1, 1, 1, false, {{0, 0}}},
    {"dropout", 3, 3, 1, false, {{0, 0}}},
    {"layer_norm", 3, 3, 3, false, {{0, 0}}},
    {"layer_norm_grad", 5, 5, 3, false, {{0, 0}, {0, 1}}},
    {"rms_norm", 2, 2, 2, false, {{0, 0}}},
    {"rms_norm_grad", 4, 4, 2, false, {{0, 0}, {0, 1}}},
    {"cross_entropy", 2, 2, 2, false, {}},
    {"cross_entropy_grad", 4, 4, 1, false, {{0, 1}}},
    {"square_sum", 1, 1, 1, false, {}},
    {"clip_factor", 1, ~0u, 2, false, {}},
    {"adamw", 9, 11, 3, false, {{0, 0}, {1, 2}, {2, 3}}},
    {"sgd", 5, 7, 2, false, {{0, 0}, {1, 2}}},
    {"matmul", 2, 3, 1, true, {}},
    {"attention", 3, 5, 2, true, {}},
    {"attention_grad", 6, 8, 3, true, {}},
    {"embedding", 2, 2, 1, true, {}},
    {"embedding_grad", 2, 2, 1, true, {}},
};

const KernelInfo *nlp::rt::lookupKernel(llvm::StringRef name) {
  for (const KernelInfo &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}
