//===- SegmentLaunches.h - The kernels that ops become ----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_CONVERSION_SEGMENTLAUNCHES_H
#define NLP_CONVERSION_SEGMENTLAUNCHES_H

#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"

namespace nlp {

using LaunchVisitor = llvm::function_ref<llvm::LogicalResult(
    mlir::Operation *op, rt::LaunchOp launch)>;

/// Calls `visit` with each kernel launch that an op of `segment` becomes, and
/// that op. Lowers the segment as -convert-nlp-to-nlprt does, for up to
/// `threads` threads (below 1: this machine's cores), and takes back what it
/// made: the step stays as it is.
llvm::LogicalResult visitLaunches(SegmentOp segment, int64_t threads,
                                  LaunchVisitor visit);

} // namespace nlp

#endif // NLP_CONVERSION_SEGMENTLAUNCHES_H
