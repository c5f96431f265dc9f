//===- NLPRTToLLVM.cpp - A program to functions, kernels, tables ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is checked first; then a function for each routine is emitted,
// with the kernels and constants that it calls for, then the program's tables,
// and the program is erased. Compile time is proportional to the number of
// distinct kernels (see KernelSet.h) plus the number of launches.
//
//===----------------------------------------------------------------------===//

#include "ProgramTables.h"
#include "RoutineCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "nlp/Conversion/Passes.h"

namespace nlp {
#define GEN_PASS_DEF_CONVERTNLPRTTOLLVM
#include "nlp/Conversion/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;
using namespace nlp::rt;

namespace {
struct ConvertNLPRTToLLVM
    : nlp::impl::ConvertNLPRTToLLVMBase<ConvertNLPRTToLLVM> {
  using ConvertNLPRTToLLVMBase::ConvertNLPRTToLLVMBase;

  void runOnOperation() override;
};
} // namespace

void ConvertNLPRTToLLVM::runOnOperation() {
  ModuleOp module = getOperation();
  auto programs = llvm::to_vector(module.getOps<ProgramOp>());
  if (programs.size() != 1) {
    module.emitError("expected one nlprt.program in the module, but got ")
        << programs.size();
    return signalPassFailure();
  }
  ProgramOp program = programs.front();
  if (failed(checkProgram(program)))
    return signalPassFailure();
  KernelSet kernels(module);
  ConstantTables tables(module);
  for (auto routine : program.getBody().getOps<RoutineOp>())
    emitRoutine(routine, kernels, tables);
  defineProgram(program, tables);
  program.erase();
  if (failed(lowerKernels(module)))
    signalPassFailure();
}
