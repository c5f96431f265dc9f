//===- StepOps.td - Steps, segments, slots, symbols, markers -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_STEPOPS
#define NLP_DIALECT_NLP_IR_STEPOPS

include "nlp/Dialect/NLP/IR/NLPOpBase.td"

def NLP_ParameterOp : Op<NLP_Dialect, "parameter", [Symbol]> {
  let summary = "Declares a trainable or frozen tensor of the model.";
  let description = [{
    The symbol is the tensor's name in weight files. A tied weight is one symbol
    that is read twice. `decay` says whether weight decay applies. Without
    weights, elements start as `init` says; `normal` draws from the counter-based
    generator by global element and name, with standard deviation
    `init_scale`.

    Constraints:
    - (C1) `init_scale` is positive for `normal` and 0 otherwise.

    Example:

    ```mlir
    nlp.parameter @wte.weight : tensor<256x64xf32> init normal scale 0.02 {decay}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<NLP_FloatTensor>:$type, NLP_InitKindAttr:$init,
    DefaultValuedAttr<F64Attr, "0.0">:$init_scale, UnitAttr:$decay,
    UnitAttr:$frozen, OptionalAttr<NLP_ShardingAttr>:$sharding);
  let assemblyFormat = [{
    $sym_name `:` $type `init` $init (`scale` $init_scale^)? attr-dict
  }];
  let hasVerifier = 1;
}

def NLP_StateOp : Op<NLP_Dialect, "state", [Symbol]> {
  let summary = "Declares a tensor that lives from step to step.";
  let description = [{
    Optimizer moments, the loss scale: zero at the start, saved with a
    checkpoint. `parameter` names the parameter that a moment belongs to.

    Example: `nlp.state @m.wte : tensor<4x8xf32> kind moment`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<NLP_FloatTensor>:$type, NLP_StateKindAttr:$kind,
    OptionalAttr<FlatSymbolRefAttr>:$parameter,
    OptionalAttr<NLP_ShardingAttr>:$sharding);
  let assemblyFormat = "$sym_name `:` $type `kind` $kind attr-dict";
}

def NLP_StepOp : Op<NLP_Dialect, "step",
    [Symbol, SymbolTable, NoTerminator, SingleBlock, NoRegionArguments,
     IsolatedFromAbove]> {
  let summary = "Holds the segments of a training step and their schedule.";
  let description = [{
    The body holds `nlp.segment` and `nlp.slot` ops only. `schedule` lists which
    segment runs for which micro-batch; without it, as in a graph that is not
    differentiated yet, the step has no order. `plan` is what was decided.

    Constraints:
    - (C1) the body holds only segments and slots.
    - (C2) every run of `schedule` names a segment of this step.
    - (C3) within each micro-batch a backward segment follows its forward
      segment.
    - (C4) micro-batches are numbered from 0: each number is below the number of
      runs.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<NLP_ModelAttr>:$model,
    OptionalAttr<NLP_PlanAttr>:$plan,
    OptionalAttr<TypedArrayAttrBase<NLP_RunAttr, "array of runs">>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def NLP_SegmentOp : Op<NLP_Dialect, "segment",
    [Symbol, NoTerminator, SingleBlock, NoRegionArguments, HasParent<"StepOp">]> {
  let summary = "A straight-line part of a step.";
  let description = [{
    Ops run in order. In a `forward_backward` segment one `nlp.turn` separates
    the forward from the backward pass. Values reach other segments
    through slots, parameters and state.

    Constraints:
    - (C1) `forward_backward` segments hold exactly one `nlp.turn`, others none.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    NLP_SegmentKindAttr:$kind, OptionalAttr<NLP_OrderAttr>:$order);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `kind` $kind attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def NLP_SlotOp : Op<NLP_Dialect, "slot", [Symbol, HasParent<"StepOp">]> {
  let summary = "Declares storage for a value that crosses segments.";
  let description = [{
    A slot has one instance for each micro-batch in flight. An `accumulate` slot
    has one instance for all: it starts at zero and `nlp.slot_accumulate` adds to
    it. `parameter` names the parameter whose gradient it holds.

    Example: `nlp.slot @grad.wte : tensor<4x8xf32> {accumulate}`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<NLP_AnyTensor>:$type, UnitAttr:$accumulate,
    OptionalAttr<FlatSymbolRefAttr>:$parameter);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
}

def NLP_SlotLoadOp : Op<NLP_Dialect, "slot_load", [
    MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Reads a slot: the instance of this micro-batch.";
  let arguments = (ins FlatSymbolRefAttr:$slot);
  let results = (outs NLP_AnyTensor:$result);
  let assemblyFormat = "$slot attr-dict `:` type($result)";
}
def NLP_SlotStoreOp : Op<NLP_Dialect, "slot_store", [
    MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Writes a slot: the instance of this micro-batch.";
  let arguments = (ins FlatSymbolRefAttr:$slot, NLP_AnyTensor:$value);
  let assemblyFormat = "$slot `,` $value attr-dict `:` type($value)";
}
def NLP_SlotAccumulateOp : Op<NLP_Dialect, "slot_accumulate", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Adds to an accumulating slot.";
  let arguments = (ins FlatSymbolRefAttr:$slot, NLP_FloatTensor:$value);
  let assemblyFormat = "$slot `,` $value attr-dict `:` type($value)";
}

def NLP_ReadOp : Op<NLP_Dialect, "read", [
    MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Reads a parameter or a state.";
  let description = [{
    Constraints:
    - (C1) the symbol is a parameter or a state of the result's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}
def NLP_AssignOp : Op<NLP_Dialect, "assign", [
    MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Gives a parameter or a state its new value.";
  let description = [{
    Constraints:
    - (C1) the symbol is a state or a parameter, not frozen, of the value's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, NLP_FloatTensor:$value);
  let assemblyFormat = "$symbol `,` $value attr-dict `:` type($value)";
}

def NLP_InputOp : Op<NLP_Dialect, "input", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads what the data loader provides for this micro-batch.";
  let description = [{
    Token ids or targets, `[sequences, tokens]`.

    Constraints:
    - (C1) the result has rank 2.

    Example: `%0 = nlp.input tokens : tensor<4x128xi32>`
  }];
  let arguments = (ins NLP_InputRoleAttr:$role);
  let results = (outs NLP_IndexTensor:$result);
  let assemblyFormat = "$role attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NLP_RuntimeScalarOp : Op<NLP_Dialect, "runtime_scalar",
    [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a scalar that the training loop supplies.";
  let description = [{
    `step_number` counts from 1; `step_seed` mixes the run's seed and the step;
    `first_sequence` is the number, in the global batch, of this
    micro-batch's first sequence. These are i64, all others f64.

    Constraints:
    - (C1) the result has the type of the scalar.
  }];
  let arguments = (ins NLP_RuntimeScalarKindAttr:$scalar);
  let results = (outs AnyTypeOf<[NLP_ScalarF64, NLP_ScalarI64]>:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NLP_ReportOp : Op<NLP_Dialect, "report", [MemoryEffects<[MemWrite]>]> {
  let summary = "Hands a figure to the training loop.";
  let arguments = (ins NLP_ReportKindAttr:$figure, NLP_ScalarF32:$value);
  let assemblyFormat = "$figure `,` $value attr-dict `:` type($value)";
}

def NLP_TurnOp : Op<NLP_Dialect, "turn", [
    HasParent<"SegmentOp">, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Marks where the forward pass ends and the backward pass begins.";
  let assemblyFormat = "attr-dict";
}

#endif // NLP_DIALECT_NLP_IR_STEPOPS
