//===- NLPEnums.td - Enumerations of the nlp dialect ------*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_NLPENUMS
#define NLP_DIALECT_NLP_IR_NLPENUMS

include "nlp/Dialect/NLP/IR/NLPBase.td"

class NLP_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::nlp";
  let genSpecializedAttr = 0;
}
class NLP_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<NLP_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def NLP_SegmentKind : NLP_Enum<"SegmentKind", "What a segment of a step does", [
  I32EnumAttrCase<"Forward", 0, "forward">,
  I32EnumAttrCase<"Backward", 1, "backward">,
  I32EnumAttrCase<"ForwardBackward", 2, "forward_backward">,
  I32EnumAttrCase<"WeightGradient", 3, "weight_gradient">,
  I32EnumAttrCase<"Update", 4, "update">,
  I32EnumAttrCase<"Evaluate", 5, "evaluate">
]>;
def NLP_SegmentKindAttr : NLP_EnumAttr<NLP_SegmentKind, "segment_kind">;

def NLP_InputRole : NLP_Enum<"InputRole", "What the data loader puts into an input", [
  I32EnumAttrCase<"Tokens", 0, "tokens">,
  I32EnumAttrCase<"Targets", 1, "targets">
]>;
def NLP_InputRoleAttr : NLP_EnumAttr<NLP_InputRole, "input_role">;

def NLP_ReportKind : NLP_Enum<"ReportKind", "A figure that the step hands to the training loop", [
  I32EnumAttrCase<"Loss", 0, "loss">,
  I32EnumAttrCase<"GradNorm", 1, "grad_norm">
]>;
def NLP_ReportKindAttr : NLP_EnumAttr<NLP_ReportKind, "report_kind">;

def NLP_RuntimeScalarKind : NLP_Enum<"RuntimeScalarKind", "A scalar that the training loop supplies", [
  I32EnumAttrCase<"LearningRate", 0, "learning_rate">,
  I32EnumAttrCase<"Beta1", 1, "beta1">,
  I32EnumAttrCase<"Beta2", 2, "beta2">,
  I32EnumAttrCase<"Epsilon", 3, "epsilon">,
  I32EnumAttrCase<"WeightDecay", 4, "weight_decay">,
  I32EnumAttrCase<"Momentum", 5, "momentum">,
  I32EnumAttrCase<"MaxGradNorm", 6, "max_grad_norm">,
  I32EnumAttrCase<"StepNumber", 7, "step_number">,
  I32EnumAttrCase<"StepSeed", 8, "step_seed">,
  I32EnumAttrCase<"FirstSequence", 9, "first_sequence">
]>;
def NLP_RuntimeScalarKindAttr
    : NLP_EnumAttr<NLP_RuntimeScalarKind, "scalar_kind">;

def NLP_InitKind : NLP_Enum<"InitKind", "How a parameter starts when no weights are given", [
  I32EnumAttrCase<"Zeros", 0, "zeros">,
  I32EnumAttrCase<"Ones", 1, "ones">,
  I32EnumAttrCase<"Normal", 2, "normal">
]>;
def NLP_InitKindAttr : NLP_EnumAttr<NLP_InitKind, "init_kind">;

def NLP_StateKind : NLP_Enum<"StateKind", "What a state symbol is for", [
  I32EnumAttrCase<"Moment", 0, "moment">,
  I32EnumAttrCase<"LossScale", 1, "loss_scale">,
  I32EnumAttrCase<"Counter", 2, "counter">
]>;
def NLP_StateKindAttr : NLP_EnumAttr<NLP_StateKind, "state_kind">;

def NLP_WeightLayout : NLP_Enum<"WeightLayout", "Order of a linear layer's weight dimensions", [
  I32EnumAttrCase<"OutIn", 0, "out_in">,
  I32EnumAttrCase<"InOut", 1, "in_out">
]>;
def NLP_WeightLayoutAttr : NLP_EnumAttr<NLP_WeightLayout, "weight_layout">;

def NLP_GeluKind : NLP_Enum<"GeluKind", "Which GELU", [
  I32EnumAttrCase<"Erf", 0, "erf">,
  I32EnumAttrCase<"Tanh", 1, "tanh">
]>;
def NLP_GeluKindAttr : NLP_EnumAttr<NLP_GeluKind, "gelu_kind">;

def NLP_MaskKind : NLP_Enum<"MaskKind", "Which keys a query may see", [
  I32EnumAttrCase<"Bidirectional", 0, "bidirectional">,
  I32EnumAttrCase<"Causal", 1, "causal">,
  I32EnumAttrCase<"SlidingWindow", 2, "sliding_window">
]>;
def NLP_MaskKindAttr : NLP_EnumAttr<NLP_MaskKind, "mask_kind">;

// The plan.

def NLP_StorageKind : NLP_Enum<"StorageKind", "What happens to a value between its forward and its backward uses", [
  I32EnumAttrCase<"Keep", 0, "keep">,
  I32EnumAttrCase<"Recompute", 1, "recompute">,
  I32EnumAttrCase<"Offload", 2, "offload">,
  I32EnumAttrCase<"Compress", 3, "compress">
]>;
def NLP_StorageKindAttr : NLP_EnumAttr<NLP_StorageKind, "storage_kind">;

def NLP_Numerics : NLP_Enum<"Numerics", "What the plan may do to precision", [
  I32EnumAttrCase<"Exact", 0, "exact">,
  I32EnumAttrCase<"Mixed", 1, "mixed">,
  I32EnumAttrCase<"Aggressive", 2, "aggressive">
]>;
def NLP_NumericsAttr : NLP_EnumAttr<NLP_Numerics, "numerics">;

def NLP_ScheduleKind : NLP_Enum<"ScheduleKind", "Order of the micro-batches' forward and backward passes", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"GPipe", 1, "gpipe">,
  I32EnumAttrCase<"OneFOneB", 2, "one_f_one_b">,
  I32EnumAttrCase<"Interleaved", 3, "interleaved">,
  I32EnumAttrCase<"ZBH1", 4, "zb_h1">,
  I32EnumAttrCase<"ZBH2", 5, "zb_h2">
]>;
def NLP_ScheduleKindAttr : NLP_EnumAttr<NLP_ScheduleKind, "schedule_kind">;

#endif // NLP_DIALECT_NLP_IR_NLPENUMS
