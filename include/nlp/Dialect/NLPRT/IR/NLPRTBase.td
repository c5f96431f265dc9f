//===- NLPRTBase.td - The nlprt dialect, enums, attributes -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLPRT_IR_NLPRTBASE
#define NLP_DIALECT_NLPRT_IR_NLPRTBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def NLPRT_Dialect : Dialect {
  let name = "nlprt";
  let cppNamespace = "::nlp::rt";
  let summary = "What the runtime does: buffers, kernel launches, one arena.";
  let description = [{
    A program is one training step: buffers with places in one arena, routines of
    kernel launches, and the order of runs. There are no tensors. Buffers
    are dense, row-major `memref`s.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class NLPRT_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::nlp::rt";
  let genSpecializedAttr = 0;
}

def NLPRT_BufferKind : NLPRT_Enum<"BufferKind", "What a buffer is for", [
  I32EnumAttrCase<"Parameter", 0, "parameter">,
  I32EnumAttrCase<"State", 1, "state">,
  I32EnumAttrCase<"Slot", 2, "slot">,
  I32EnumAttrCase<"Accumulator", 3, "accumulator">,
  I32EnumAttrCase<"Input", 4, "input">,
  I32EnumAttrCase<"Scalar", 5, "scalar">,
  I32EnumAttrCase<"Figure", 6, "figure">
]>;
def NLPRT_BufferKindAttr
    : EnumAttr<NLPRT_Dialect, NLPRT_BufferKind, "buffer_kind"> {
  let assemblyFormat = "$value";
}

def NLPRT_Category : NLPRT_Enum<"Category", "What a report counts bytes as", [
  I32EnumAttrCase<"Parameters", 0, "parameters">,
  I32EnumAttrCase<"Gradients", 1, "gradients">,
  I32EnumAttrCase<"Optimizer", 2, "optimizer">,
  I32EnumAttrCase<"Activations", 3, "activations">,
  I32EnumAttrCase<"Transients", 4, "transients">,
  I32EnumAttrCase<"Communication", 5, "communication">,
  I32EnumAttrCase<"Workspace", 6, "workspace">
]>;
def NLPRT_CategoryAttr
    : EnumAttr<NLPRT_Dialect, NLPRT_Category, "category"> {
  let assemblyFormat = "$value";
}

def NLPRT_RoutineKind : NLPRT_Enum<"RoutineKind", "What a routine does", [
  I32EnumAttrCase<"Forward", 0, "forward">,
  I32EnumAttrCase<"Backward", 1, "backward">,
  I32EnumAttrCase<"ForwardBackward", 2, "forward_backward">,
  I32EnumAttrCase<"WeightGradient", 3, "weight_gradient">,
  I32EnumAttrCase<"Update", 4, "update">,
  I32EnumAttrCase<"Evaluate", 5, "evaluate">
]>;
def NLPRT_RoutineKindAttr
    : EnumAttr<NLPRT_Dialect, NLPRT_RoutineKind, "routine_kind"> {
  let assemblyFormat = "$value";
}

def NLPRT_RunAttr : AttrDef<NLPRT_Dialect, "Run"> {
  let mnemonic = "run";
  let summary = "One execution of a routine for one micro-batch.";
  let description = [{
    Constraints:
    - (C1) `micro_batch` is 0 or more.

    Example: `#nlprt.run<@forward_backward, 0>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$routine,
                        "int64_t":$micro_batch);
  let assemblyFormat = "`<` $routine `,` $micro_batch `>`";
  let genVerifyDecl = 1;
}

/// What a place in the arena may hold.
def NLPRT_Buffer : ConfinedType<MemRefOf<[F32, BF16, F16, F64, I8, I32, I64]>,
    [CPred<"::nlp::rt::isBufferType($_self)">],
    "dense row-major memref of f32, bf16, f16, f64, i8, i32 or i64 with static "
    "sizes of 1 or more and 2^56 bytes at most", "::mlir::MemRefType">;

#endif // NLP_DIALECT_NLPRT_IR_NLPRTBASE
