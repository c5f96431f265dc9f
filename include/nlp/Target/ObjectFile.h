//===- ObjectFile.h - A module of the LLVM dialect to an object -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TARGET_OBJECTFILE_H
#define NLP_TARGET_OBJECTFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace nlp {

/// Which machine the code is for.
struct CodeOptions {
  std::string cpu = "host"; ///< A name that LLVM knows; "host": this machine's.
  std::string features;     ///< Such as "+avx2,-avx512f", added to the CPU's.
  /// Adds `main`, which checks that the CPU has what the code needs, then calls
  /// `nlprt_main`.
  bool withMain = false;
};

/// The target machine of `options`; an error goes to `location`.
mlir::FailureOr<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(mlir::Location location, const CodeOptions &options);

/// Translates `module`, which is in the LLVM dialect, and optimizes it for
/// `machine`. Null where translation fails, after an error.
std::unique_ptr<llvm::Module> translateAndOptimize(mlir::ModuleOp module,
                                                   const CodeOptions &options,
                                                   llvm::TargetMachine &machine,
                                                   llvm::LLVMContext &context);

/// Compiles `module`, which is in the LLVM dialect, to an object file at
/// `path`.
mlir::LogicalResult writeObjectFile(mlir::ModuleOp module,
                                    const CodeOptions &options,
                                    llvm::StringRef path);

} // namespace nlp

#endif // NLP_TARGET_OBJECTFILE_H
