//===- PointwiseOps.td - Arithmetic, activations, dropout -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_POINTWISEOPS
#define NLP_DIALECT_NLP_IR_POINTWISEOPS

include "nlp/Dialect/NLP/IR/NLPOpBase.td"

class NLP_BinaryOp<string mnemonic, string formula, list<Trait> traits = []>
    : NLP_PointwiseForwardOp<mnemonic,
        (ins NLP_FloatTensor:$lhs, NLP_FloatTensor:$rhs), traits> {
  let description = "`result = " # formula # [{`, element by element. Shapes are equal; see
    `nlp.broadcast` for the rest.
  }];
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def NLP_AddOp : NLP_BinaryOp<"add", "lhs + rhs", [Commutative]> {
  let summary = "Adds two tensors.";
}
def NLP_SubOp : NLP_BinaryOp<"sub", "lhs - rhs"> {
  let summary = "Subtracts the second tensor from the first.";
}
def NLP_MulOp : NLP_BinaryOp<"mul", "lhs * rhs", [Commutative]> {
  let summary = "Multiplies two tensors element by element.";
}
def NLP_DivOp : NLP_BinaryOp<"div", "lhs / rhs"> {
  let summary = "Divides the first tensor by the second.";
}

class NLP_UnaryOp<string mnemonic, string formula>
    : NLP_PointwiseForwardOp<mnemonic, (ins NLP_FloatTensor:$input)> {
  let description = "`result = " # formula # "`, element by element.";
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def NLP_NegOp : NLP_UnaryOp<"neg", "-input"> {
  let summary = "Negates a tensor.";
}
def NLP_ExpOp : NLP_UnaryOp<"exp", "e^input"> {
  let summary = "Takes the exponential.";
}
def NLP_LogOp : NLP_UnaryOp<"log", "ln(input)"> {
  let summary = "Takes the natural logarithm.";
}
def NLP_SqrtOp : NLP_UnaryOp<"sqrt", "input^(1/2)"> {
  let summary = "Takes the square root.";
}
def NLP_TanhOp : NLP_UnaryOp<"tanh", "tanh(input)"> {
  let summary = "Applies the hyperbolic tangent.";
}
def NLP_SigmoidOp : NLP_UnaryOp<"sigmoid", "1 / (1 + e^-input)"> {
  let summary = "Applies the logistic function.";
}
def NLP_ReluOp : NLP_UnaryOp<"relu", "max(input, 0)"> {
  let summary = "Applies the rectifier.";
}
def NLP_SiluOp : NLP_UnaryOp<"silu", "input * sigmoid(input)"> {
  let summary = "Applies the sigmoid-weighted linear unit.";
}

def NLP_ScaleOp : NLP_PointwiseForwardOp<"scale",
    (ins NLP_FloatTensor:$input, F64Attr:$factor)> {
  let summary = "Multiplies a tensor by a constant.";
  let description = "`result = factor * input`.";
  let assemblyFormat = "$input `by` $factor attr-dict `:` type($result)";
}

def NLP_GeluOp : NLP_PointwiseForwardOp<"gelu",
    (ins NLP_FloatTensor:$input, NLP_GeluKindAttr:$kind)> {
  let summary = "Applies the Gaussian error linear unit.";
  let description = [{
    `erf`: `x/2 * (1 + erf(x / sqrt(2)))`. `tanh`: the approximation
    `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))` (Hendrycks and Gimpel,
    arXiv:1606.08415), which Hugging Face calls `gelu_new`.
  }];
  let assemblyFormat = "$kind $input attr-dict `:` type($result)";
}

class NLP_ActivationGradOp<string mnemonic, dag extra = (ins)>
    : NLP_PointwiseBackwardOp<mnemonic,
        !con((ins NLP_FloatTensor:$input, NLP_FloatTensor:$result_grad), extra)>;

def NLP_GeluGradOp : NLP_ActivationGradOp<"gelu_grad",
    (ins NLP_GeluKindAttr:$kind)> {
  let summary = "Computes the gradient of `nlp.gelu`.";
  let description = "`result = result_grad * gelu'(input)`.";
  let assemblyFormat =
      "$kind $input `,` $result_grad attr-dict `:` type($result)";
}
def NLP_SiluGradOp : NLP_ActivationGradOp<"silu_grad"> {
  let summary = "Computes the gradient of `nlp.silu`.";
  let description = [{
    `result = result_grad * s * (1 + input * (1 - s))`, `s = sigmoid(input)`.
  }];
  let assemblyFormat = "$input `,` $result_grad attr-dict `:` type($result)";
}
def NLP_ReluGradOp : NLP_ActivationGradOp<"relu_grad"> {
  let summary = "Computes the gradient of `nlp.relu`.";
  let description = "`result = input > 0 ? result_grad : 0`.";
  let assemblyFormat = "$input `,` $result_grad attr-dict `:` type($result)";
}
def NLP_TanhGradOp : NLP_PointwiseBackwardOp<"tanh_grad",
    (ins NLP_FloatTensor:$output, NLP_FloatTensor:$result_grad)> {
  let summary = "Computes the gradient of `nlp.tanh` from its result.";
  let description = "`result = result_grad * (1 - output^2)`.";
  let assemblyFormat = "$output `,` $result_grad attr-dict `:` type($result)";
}
def NLP_SigmoidGradOp : NLP_PointwiseBackwardOp<"sigmoid_grad",
    (ins NLP_FloatTensor:$output, NLP_FloatTensor:$result_grad)> {
  let summary = "Computes the gradient of `nlp.sigmoid` from its result.";
  let description = "`result = result_grad * output * (1 - output)`.";
  let assemblyFormat = "$output `,` $result_grad attr-dict `:` type($result)";
}

def NLP_DropoutOp : NLP_ForwardOp<"dropout",
    (ins NLP_FloatTensor:$input, NLP_ScalarI64:$seed,
         NLP_ScalarI64:$first_sequence, F64Attr:$rate, StrAttr:$site),
    [AllTypesMatch<["input", "result"]>, NLP_IsRandom,
     NLP_DiffersInEvaluation]> {
  let summary = "Zeroes elements at random and scales the rest.";
  let description = [{
    `result[i] = keep(i) ? input[i] / (1 - rate) : 0`. `keep(i)` draws from the
    counter-based generator Philox-4x32-10 (Salmon et al., SC 2011) with
    the key (`seed`, hash of `site`) and as counter the *global* index of the
    element, `first_sequence * (elements of a sequence) + i`. The draw depends on
    neither sharding, micro-batches nor recomputation. The gradient is the same
    op applied to the result's gradient.

    Constraints:
    - (C1) `rate` is in [0, 1).
    - (C2) `input` has rank 1 or more; its first dimension counts sequences.
    - (C3) `site` is not empty.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $seed `,` $first_sequence `rate` $rate `site` $site attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // NLP_DIALECT_NLP_IR_POINTWISEOPS
