//===- NLPRTOps.td - Ops of the nlprt dialect -------------*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLPRT_IR_NLPRTOPS
#define NLP_DIALECT_NLPRT_IR_NLPRTOPS

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "nlp/Dialect/NLPRT/IR/NLPRTBase.td"

def NLPRT_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::nlp::rt";
  let description = [{
    An op that reads some buffers and writes others, all of each. Memory planning
    and its check know ops by this interface only.
  }];
  let methods = [
    InterfaceMethod<"Buffers that are read.", "::mlir::OperandRange",
      "getReads", (ins), "", [{ return $_op.getIns(); }]>,
    InterfaceMethod<"Buffers that are written.", "::mlir::OperandRange",
      "getWrites", (ins), "", [{ return $_op.getOuts(); }]>,
    InterfaceMethod<[{
      True where write number `write` may share its bytes with read number `read`:
      each element is read, by the same work item, before it is written.
    }], "bool", "canShare", (ins "unsigned":$write, "unsigned":$read)>
  ];
}

class NLPRT_Op<string mnemonic, list<Trait> traits = []>
    : Op<NLPRT_Dialect, mnemonic, traits>;

def NLPRT_ProgramOp : NLPRT_Op<"program",
    [Symbol, SymbolTable, NoTerminator, SingleBlock, NoRegionArguments,
     IsolatedFromAbove]> {
  let summary = "Holds the buffers and routines of a step and their order.";
  let description = [{
    `arena_bytes` is set by `-nlprt-plan-memory`. `threads` is the number of
    threads that workspaces are planned for. `plan` is a text (JSON) that the
    binary prints.

    Constraints:
    - (C1) the body holds only buffers and routines.
    - (C2) runs name routines of this program.
    - (C3) micro-batches are numbered from 0: each number is below the number of
      runs.
    - (C4) `threads` is 1 to 4096, `arena_bytes` 0 or more.
    - (C5) sizes of batches, sequences and the vocabulary are 1 to 2^31 - 1.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    StrAttr:$model, I64Attr:$global_batch, I64Attr:$micro_batch,
    I64Attr:$seq_len, I64Attr:$vocab_size, I64Attr:$threads,
    TypedArrayAttrBase<NLPRT_RunAttr, "array of runs">:$runs,
    OptionalAttr<I64Attr>:$arena_bytes, OptionalAttr<StrAttr>:$plan);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def NLPRT_BufferOp : NLPRT_Op<"buffer", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "Declares a buffer that outlives a run of a routine.";
  let description = [{
    Parameters and state live throughout; a slot lives from its first store to
    its last load, with `instances` copies of which a run for micro-batch `m` uses
    number `m % instances`; an accumulator lives from its first
    accumulation to its last load; inputs are written by the training loop before
    each run. `port` is the role, figure or scalar number of the ABI. `offsets` has
    one arena offset for each instance.

    Constraints:
    - (C1) `instances` is positive and no more than the program has runs, and 1
      except for slots.
    - (C2) `offsets`, where given, has `instances` entries, multiples of 64.

    Example:

    ```mlir
    nlprt.buffer @wte : memref<256x64xf32> kind parameter category parameters
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<NLPRT_Buffer>:$type, NLPRT_BufferKindAttr:$kind,
    NLPRT_CategoryAttr:$category,
    DefaultValuedAttr<I64Attr, "1">:$instances,
    DefaultValuedAttr<I64Attr, "0">:$port,
    DefaultValuedAttr<I64Attr, "0">:$init,
    DefaultValuedAttr<F64Attr, "0.0">:$init_scale,
    UnitAttr:$decay, UnitAttr:$frozen,
    OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let assemblyFormat =
      "$sym_name `:` $type `kind` $kind `category` $category attr-dict";
  let hasVerifier = 1;
}

def NLPRT_RoutineOp : NLPRT_Op<"routine",
    [Symbol, NoTerminator, SingleBlock, NoRegionArguments,
     HasParent<"ProgramOp">]> {
  let summary = "A straight line of kernel launches: one segment of the step.";
  let description = [{
    Constraints:
    - (C1) the body holds only ops that name buffers (`get`, `alloc`, `view`) and
      ops that read and write them.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility, NLPRT_RoutineKindAttr:$kind);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `kind` $kind attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def NLPRT_GetOp : NLPRT_Op<"get",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Gives access to a buffer of the program.";
  let description = [{
    For a slot, to the instance of the run's micro-batch.

    Constraints:
    - (C1) the symbol is a buffer of the result's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$buffer);
  let results = (outs NLPRT_Buffer:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($result)";
}

def NLPRT_AllocOp : NLPRT_Op<"alloc"> {
  let summary = "Names a buffer that lives within one run of a routine.";
  let description = [{
    Nothing is allocated at run time: the buffer is a place in the arena, live from
    its first write to its last read.

    Constraints:
    - (C1) `offset`, where given, is a multiple of 64, 0 or more.
  }];
  let arguments = (ins NLPRT_CategoryAttr:$category,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs NLPRT_Buffer:$result);
  let assemblyFormat = "$category attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NLPRT_ViewOp : NLPRT_Op<"view", [Pure]> {
  let summary = "Shows the bytes of a buffer under another shape or type.";
  let description = [{
    Constraints:
    - (C1) `offset` (bytes) and the result's bytes are within the source.
    - (C2) `offset` is a multiple of the bytes of the result's elements.
  }];
  let arguments = (ins NLPRT_Buffer:$source,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs NLPRT_Buffer:$result);
  let assemblyFormat =
      "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def NLPRT_LaunchOp : NLPRT_Op<"launch",
    [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
     DeclareOpInterfaceMethods<NLPRT_KernelOpInterface, ["canShare"]>]> {
  let summary = "Runs a kernel of the catalogue.";
  let description = [{
    `kernel` is a name of the kernel catalogue (KernelCatalogue.h), which says how
    many buffers it reads and writes, what `params` it takes, and which writes
    may share bytes with which reads. A kernel is either generated by the
    compiler or a library call; the op does not tell. Where the kernel needs a
    workspace, the last write is that workspace.

    Constraints:
    - (C1) `kernel` is in the catalogue.
    - (C2) numbers of reads and writes are as the catalogue says.

    Example:

    ```mlir
    nlprt.launch "layer_norm"(%x, %w, %b) to(%y, %mean, %rstd)
        {params = {epsilon = 1.0e-5}}
        : (memref<8x64xf32>, memref<64xf32>, memref<64xf32>)
        -> (memref<8x64xf32>, memref<8xf32>, memref<8xf32>)
    ```
  }];
  let arguments = (ins StrAttr:$kernel,
    Variadic<NLPRT_Buffer>:$ins, Variadic<NLPRT_Buffer>:$outs,
    DefaultValuedAttr<DictionaryAttr, "{}">:$params,
    DefaultValuedAttr<I64Attr, "0">:$flops,
    DefaultValuedAttr<I64Attr, "0">:$stream);
  let assemblyFormat = [{
    $kernel `(` $ins `)` `to` `(` $outs `)` attr-dict
    `:` functional-type($ins, $outs)
  }];
  let hasVerifier = 1;
}

def NLPRT_PointwiseOp : NLPRT_Op<"pointwise",
    [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
     DeclareOpInterfaceMethods<NLPRT_KernelOpInterface, ["canShare"]>]> {
  let summary = "Computes each element of the writes from elements of the reads.";
  let description = [{
    The region is the scalar definition, in `arith` and `math`: one argument for
    each read, in its element type, and one yielded value for each write. Index `i`
    of a write is computed from index `i` of each read; a read that has fewer
    elements is repeated (`i` modulo its number of elements).

    Constraints:
    - (C1) all writes have the same number of elements, of which the number of
      elements of each read is a divisor.
    - (C2) the region has one argument for each read, of its element type.
    - (C3) the region yields one value for each write, of its element type.

    Example:

    ```mlir
    nlprt.pointwise(%x, %y) to(%z)
        : (memref<8x64xf32>, memref<64xf32>) -> memref<8x64xf32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      nlprt.yield %0 : f32
    }
    ```
  }];
  let arguments = (ins
    Variadic<NLPRT_Buffer>:$ins, Variadic<NLPRT_Buffer>:$outs,
    DefaultValuedAttr<I64Attr, "0">:$flops,
    DefaultValuedAttr<I64Attr, "0">:$stream);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $ins `)` `to` `(` $outs `)` attr-dict
    `:` functional-type($ins, $outs) $body
  }];
  let hasRegionVerifier = 1;
}

def NLPRT_YieldOp : NLPRT_Op<"yield",
    [Pure, Terminator, HasParent<"PointwiseOp">]> {
  let summary = "Yields the elements of a `nlprt.pointwise`.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def NLPRT_AccumulateOp : NLPRT_Op<"accumulate",
    [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
     DeclareOpInterfaceMethods<NLPRT_KernelOpInterface, ["canShare"]>]> {
  let summary = "Adds to an accumulator; the step's first addition overwrites it.";
  let description = [{
    `outs += ins`; but `outs = ins` where `first` is set, in a run for micro-batch
    0: the accumulator need not be cleared.

    Constraints:
    - (C1) one read and one write of the same float type.
  }];
  let arguments = (ins
    Variadic<NLPRT_Buffer>:$ins, Variadic<NLPRT_Buffer>:$outs,
    UnitAttr:$first, DefaultValuedAttr<I64Attr, "0">:$stream);
  let assemblyFormat =
      "(`first` $first^)? `(` $ins `)` `to` `(` $outs `)` attr-dict `:` functional-type($ins, $outs)";
  let hasVerifier = 1;
}

#endif // NLP_DIALECT_NLPRT_IR_NLPRTOPS
