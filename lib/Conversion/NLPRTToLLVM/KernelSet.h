//===- KernelSet.h - Generated kernels of a module, each once ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELSET_H
#define NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELSET_H

#include "Kernels/Generators.h"
#include "llvm/ADT/StringMap.h"

namespace nlp::rt {

/// One stage of a generated kernel.
struct KernelStage {
  mlir::LLVM::LLVMFuncOp function;
  int64_t items;
};

/// The generated kernels of a module. Launches that agree in kernel, types,
/// parameters and body share one, so identical layers cost nothing.
class KernelSet {
public:
  explicit KernelSet(mlir::ModuleOp module) : module(module) {}

  /// The stages of the kernel that `request` asks for.
  llvm::ArrayRef<KernelStage> get(const KernelRequest &request);

private:
  mlir::ModuleOp module;
  llvm::StringMap<llvm::SmallVector<KernelStage, 2>> kernels;
};

/// What `op`, a launch or pointwise op, asks of a generator.
KernelRequest makeRequest(mlir::Operation *op);

/// Checks that the parameters of a generated kernel are there and that its
/// buffers have the shapes that they must; says what is wrong.
mlir::LogicalResult checkRequest(mlir::Operation *op,
                                 const KernelRequest &request);

/// Lowers scf, arith, math and cf in the functions of `module` to LLVM.
mlir::LogicalResult lowerKernels(mlir::ModuleOp module);

} // namespace nlp::rt

#endif // NLP_LIB_CONVERSION_NLPRTTOLLVM_KERNELSET_H
