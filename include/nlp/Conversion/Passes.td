//===- Passes.td - Passes from one dialect to another ------*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_CONVERSION_PASSES
#define NLP_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNLPToNLPRT : Pass<"convert-nlp-to-nlprt", "::mlir::ModuleOp"> {
  let summary = "Turns a step on tensors into a program on buffers.";
  let description = [{
    Replaces the module's parameters, states and its `nlp.step` by one
    `nlprt.program`: a buffer for each symbol and slot, a routine for each
    segment, a kernel launch for each op, in the order of the segment. Pointwise
    ops become `nlprt.pointwise` through their scalar definition. A value that is
    only stored to a symbol or slot is computed in its place. Buffers have no
    offsets yet.

    Requires an applied step (see `-nlp-verify-phase=applied`) with a `model`
    attribute and a schedule.
  }];
  let options = [
    Option<"threads", "threads", "int64_t", /*default=*/"0",
           "Threads that workspaces are planned for; 0: this machine's cores.">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::nlp::rt::NLPRTDialect"];
}

def AddWorkspaces : Pass<"nlprt-add-workspaces", "::mlir::ModuleOp"> {
  let summary = "Gives each kernel launch the workspace that it needs.";
  let description = [{
    Asks, for the program's number of threads, the same query that the runtime
    checks with, and appends a buffer of that many bytes to the launch's writes.
  }];
  let dependentDialects = ["::nlp::rt::NLPRTDialect"];
}

def ConvertNLPRTToLLVM
    : Pass<"convert-nlprt-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turns a program into functions, kernels and tables of the ABI.";
  let description = [{
    Replaces the `nlprt.program` of the module by the LLVM dialect: a function
    for each routine, which calls library kernels and, through `nlprt_parallel`,
    generated ones; the generated kernels themselves, each once; and the constant
    `nlprt_compiled_program` with the tables of nlprt.h. Nothing else is visible
    outside of the module.

    Requires that `-nlprt-plan-memory` has given every buffer its offset.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::nlp::rt::NLPRTDialect"];
}

#endif // NLP_CONVERSION_PASSES
