//===- Executable.h - Link a training binary --------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TARGET_EXECUTABLE_H
#define NLP_TARGET_EXECUTABLE_H

#include "nlp/Target/ObjectFile.h"
#include "llvm/ADT/SmallVector.h"

namespace nlp {

/// How to link.
struct LinkOptions {
  std::string driver = "c++"; ///< A C++ compiler, which knows its libraries.
  std::string runtimeLibrary; ///< libnlprt.a.
  /// What the runtime needs.
  llvm::SmallVector<std::string> libraries = {"-ldnnl", "-fopenmp", "-lpthread",
                                              "-lm"};
};

/// The runtime library of the running tool, which stands in bin/:
/// ../lib/libnlprt.a.
std::string findRuntimeLibrary();

/// Compiles `module`, which is in the LLVM dialect, and links it with the
/// runtime. Either all of `path` is written or nothing.
mlir::LogicalResult writeExecutable(mlir::ModuleOp module,
                                    CodeOptions codeOptions,
                                    const LinkOptions &linkOptions,
                                    llvm::StringRef path);

} // namespace nlp

#endif // NLP_TARGET_EXECUTABLE_H
