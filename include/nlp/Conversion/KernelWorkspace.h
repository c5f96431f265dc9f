//===- KernelWorkspace.h - Workspace of each kernel -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_CONVERSION_KERNELWORKSPACE_H
#define NLP_CONVERSION_KERNELWORKSPACE_H

#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"

namespace nlp::rt {

/// Bytes of workspace that `launch` needs with up to `threads` threads: 0 where
/// it needs none. Generated kernels answer by their shapes, library kernels by
/// the function that the runtime checks with as well. Fails, with an error,
/// where parameters are missing.
mlir::FailureOr<int64_t> getKernelWorkspaceBytes(LaunchOp launch,
                                                 int64_t threads);

} // namespace nlp::rt

#endif // NLP_CONVERSION_KERNELWORKSPACE_H
