//===- NLPOpBase.td - Base classes of nlp ops -------------*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_NLPOPBASE
#define NLP_DIALECT_NLP_IR_NLPOPBASE

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "nlp/Dialect/NLP/IR/NLPPlanAttrs.td"
include "nlp/Dialect/NLP/IR/NLPPlanInterface.td"
include "nlp/Interfaces/OpInterfaces.td"

/// Checks the op's plan against its results; see `#nlp.op_plan`.
def NLP_VerifyOpPlan : NativeOpTrait<"VerifyOpPlan"> {
  let cppNamespace = "::nlp::OpTrait";
}

/// An op on tensors. Every one carries an optional plan as an inherent
/// attribute, after its own arguments.
class NLP_Op<string mnemonic, dag ownArguments, list<Trait> traits = []>
    : Op<NLP_Dialect, mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<NLP_PlannedOpInterface>, NLP_VerifyOpPlan])> {
  let arguments = !con(ownArguments, (ins OptionalAttr<NLP_OpPlanAttr>:$plan));
}

/// A pure op of the forward graph that passes may ask everything.
class NLP_ForwardOp<string mnemonic, dag ownArguments, list<Trait> traits = []>
    : NLP_Op<mnemonic, ownArguments, !listconcat(traits, [
        Pure,
        DeclareOpInterfaceMethods<NLP_DifferentiableOpInterface>,
        DeclareOpInterfaceMethods<NLP_CostModelOpInterface>,
        DeclareOpInterfaceMethods<NLP_ShardingRuleOpInterface>,
        DeclareOpInterfaceMethods<NLP_PrecisionPolicyOpInterface>,
        DeclareOpInterfaceMethods<NLP_RecomputeOpInterface>])>;

/// A pure op that only occurs in backward passes and updates.
class NLP_BackwardOp<string mnemonic, dag ownArguments, list<Trait> traits = []>
    : NLP_Op<mnemonic, ownArguments, !listconcat(traits, [
        Pure,
        DeclareOpInterfaceMethods<NLP_CostModelOpInterface>,
        DeclareOpInterfaceMethods<NLP_ShardingRuleOpInterface>,
        DeclareOpInterfaceMethods<NLP_PrecisionPolicyOpInterface>,
        DeclareOpInterfaceMethods<NLP_RecomputeOpInterface>])>;

/// For the traits of single ops: methods whose default they replace.
def NLP_IsMatrixWork
    : DeclareOpInterfaceMethods<NLP_CostModelOpInterface, ["isMatrixWork"]>;
def NLP_OwnBytes : DeclareOpInterfaceMethods<NLP_CostModelOpInterface,
    ["getBytesRead", "getBytesWritten"]>;
def NLP_OwnBytesRead
    : DeclareOpInterfaceMethods<NLP_CostModelOpInterface, ["getBytesRead"]>;
def NLP_IsRandom : DeclareOpInterfaceMethods<NLP_RecomputeOpInterface,
    ["getRecomputeKind"]>;
def NLP_DiffersInEvaluation
    : DeclareOpInterfaceMethods<NLP_EvaluationOpInterface>;

/// Pointwise ops: one shape and element type for all operands and results.
class NLP_PointwiseForwardOp<string mnemonic, dag ownArguments,
                             list<Trait> traits = []>
    : NLP_ForwardOp<mnemonic, ownArguments, !listconcat(traits, [
        SameOperandsAndResultType,
        DeclareOpInterfaceMethods<NLP_ScalarDefinitionOpInterface>])> {
  let results = (outs NLP_FloatTensor:$result);
}
class NLP_PointwiseBackwardOp<string mnemonic, dag ownArguments,
                              list<Trait> traits = []>
    : NLP_BackwardOp<mnemonic, ownArguments, !listconcat(traits, [
        SameOperandsAndResultType,
        DeclareOpInterfaceMethods<NLP_ScalarDefinitionOpInterface>])> {
  let results = (outs NLP_FloatTensor:$result);
}

#endif // NLP_DIALECT_NLP_IR_NLPOPBASE
