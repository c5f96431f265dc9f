//===- LibraryKernels.h - Calls of the C ABI and their parameters ---------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPRTTOLLVM_LIBRARYKERNELS_H
#define NLP_LIB_CONVERSION_NLPRTTOLLVM_LIBRARYKERNELS_H

#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"

namespace nlp::rt {

/// A field of a parameter struct; each is one 8-byte word.
struct LibraryField {
  llvm::StringRef name;
  bool isReal;
};

/// A kernel of abi.def.
struct LibraryKernel {
  llvm::StringRef name;
  llvm::SmallVector<LibraryField, 12> fields;
  int64_t (*workspaceBytes)(const void *params, int64_t threads);
};

/// The library kernel of that name, or null.
const LibraryKernel *lookupLibraryKernel(llvm::StringRef name);

/// True for a launch that accumulates, but overwrites in a run for micro-batch
/// 0.
bool overwritesFirst(LaunchOp launch);

/// The words of the launch's parameter struct; with `isFirst`, in a run for
/// micro-batch 0. A field that `params` lacks is an error.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getLibraryParams(LaunchOp launch, const LibraryKernel &kernel,
                 bool isFirst = false);

/// Checks that the parameter struct, its words in the order of the fields, says
/// of each buffer what the buffer is.
mlir::LogicalResult checkLibraryCall(LaunchOp launch,
                                     const LibraryKernel &kernel,
                                     llvm::ArrayRef<int64_t> words);

} // namespace nlp::rt

#endif // NLP_LIB_CONVERSION_NLPRTTOLLVM_LIBRARYKERNELS_H
