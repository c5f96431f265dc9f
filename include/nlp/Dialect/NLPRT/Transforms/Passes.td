//===- Passes.td - Passes on nlprt programs ------------------*- tablegen -*-=//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLPRT_TRANSFORMS_PASSES
#define NLP_DIALECT_NLPRT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def ShareBuffers : Pass<"nlprt-share-buffers", "::mlir::ModuleOp"> {
  let summary = "Lets a kernel write over an input that nothing reads again.";
  let description = [{
    A write takes the place of a read of the same launch where the kernel allows
    it (`KernelOpInterface::canShare`), the read's buffer has as many bytes, and
    nothing reads it afterwards. Only buffers of the same routine are shared:
    symbols and slots keep their own places.
  }];
  let dependentDialects = ["::nlp::rt::NLPRTDialect"];
}

def PlanMemory : Pass<"nlprt-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Gives every buffer its offset in one arena.";
  let description = [{
    Lifetimes are counted over the program's runs, launch by launch; code that
    runs several times has its buffers at the same offsets each time. Offsets
    come from the packing solver and are checked by the solver's own checker
    before anything is written. Sets `offset`, `offsets` and `arena_bytes`.
  }];
  let options = [
    Option<"searchWork", "search-work", "int64_t", /*default=*/"30000000",
           "Units of exact search where greedy packing leaves a gap; half as "
           "many improve the greedy packing.">
  ];
}

def VerifyMemory : Pass<"nlprt-verify-memory", "::mlir::ModuleOp"> {
  let summary = "Checks by simulation that no buffer is overwritten too early.";
  let description = [{
    Runs through the program as the training loop does and notes, for every byte
    of the arena, which buffer was last written there. A launch that reads a buffer
    must find all of its bytes still its own, and so must the training loop its
    parameters, state and figures. A launch must not write over what it reads,
    unless its kernel may do so in place. Also checks that every place lies within
    the arena. Shares no code with `-nlprt-plan-memory`.
  }];
}

#endif // NLP_DIALECT_NLPRT_TRANSFORMS_PASSES
