//===- NormOps.td - Normalizations and their gradients -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_NORMOPS
#define NLP_DIALECT_NLP_IR_NORMOPS

include "nlp/Dialect/NLP/IR/NLPOpBase.td"

def NLP_LayerNormOp : NLP_ForwardOp<"layer_norm",
    (ins NLP_FloatTensor:$input, NLP_FloatTensor:$weight,
         NLP_FloatTensor:$bias, F64Attr:$epsilon),
    [AllTypesMatch<["weight", "bias"]>, InferTypeOpAdaptor]> {
  let summary = "Normalizes the last dimension, then scales and shifts it.";
  let description = [{
    `result = (input - mean) * rstd * weight + bias`, where `mean` and
    `rstd = (variance + epsilon)^(-1/2)` are taken over the last dimension and
    accumulated in f32 whatever the element type. `mean` and `rstd` are results
    because the gradient needs them: saving both costs 8 bytes a row,
    recomputing them costs a pass over `input`.

    Constraints:
    - (C1) `input` has rank 1 or more.
    - (C2) `weight` has rank 1 and the size of the last dimension of `input`.
    - (C3) `epsilon` is positive.

    Example:

    ```mlir
    %y, %mean, %rstd = nlp.layer_norm %x, %w, %b eps 1.0e-5
        : tensor<8x768xf32>, tensor<768xf32>
    ```
  }];
  let results = (outs NLP_FloatTensor:$result, NLP_F32Tensor:$mean,
                      NLP_F32Tensor:$rstd);
  let assemblyFormat = [{
    $input `,` $weight `,` $bias `eps` $epsilon attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def NLP_LayerNormGradOp : NLP_BackwardOp<"layer_norm_grad",
    (ins NLP_FloatTensor:$result_grad, NLP_FloatTensor:$input,
         NLP_FloatTensor:$weight, NLP_F32Tensor:$mean, NLP_F32Tensor:$rstd),
    [AllTypesMatch<["result_grad", "input", "input_grad"]>,
     AllTypesMatch<["weight", "weight_grad", "bias_grad"]>,
     AllTypesMatch<["mean", "rstd"]>]> {
  let summary = "Computes the gradients of `nlp.layer_norm`.";
  let description = [{
    With `n = (input - mean) * rstd` and `g = result_grad * weight`:
    `input_grad = rstd * (g - avg(g) - n * avg(g * n))` over the last dimension,
    `weight_grad = sum result_grad * n` and `bias_grad = sum result_grad` over
    all others.

    Constraints:
    - (C1) `weight` has rank 1 and the size of the last dimension of `input`.
    - (C2) `mean` has the shape of `input` without its last dimension.
  }];
  let results = (outs NLP_FloatTensor:$input_grad,
                      NLP_FloatTensor:$weight_grad, NLP_FloatTensor:$bias_grad);
  let assemblyFormat = [{
    $result_grad `,` $input `,` $weight `,` $mean `,` $rstd attr-dict
    `:` type($input) `,` type($weight) `,` type($mean)
  }];
  let hasVerifier = 1;
}

def NLP_RMSNormOp : NLP_ForwardOp<"rms_norm",
    (ins NLP_FloatTensor:$input, NLP_FloatTensor:$weight, F64Attr:$epsilon),
    [InferTypeOpAdaptor]> {
  let summary = "Divides the last dimension by its root mean square.";
  let description = [{
    `result = input * rstd * weight`, `rstd = (avg(input^2) + epsilon)^(-1/2)`
    over the last dimension, accumulated in f32 (Zhang and Sennrich,
    arXiv:1910.07467).

    Constraints:
    - (C1) `input` has rank 1 or more.
    - (C2) `weight` has rank 1 and the size of the last dimension of `input`.
    - (C3) `epsilon` is positive.
  }];
  let results = (outs NLP_FloatTensor:$result, NLP_F32Tensor:$rstd);
  let assemblyFormat = [{
    $input `,` $weight `eps` $epsilon attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def NLP_RMSNormGradOp : NLP_BackwardOp<"rms_norm_grad",
    (ins NLP_FloatTensor:$result_grad, NLP_FloatTensor:$input,
         NLP_FloatTensor:$weight, NLP_F32Tensor:$rstd),
    [AllTypesMatch<["result_grad", "input", "input_grad"]>,
     AllTypesMatch<["weight", "weight_grad"]>]> {
  let summary = "Computes the gradients of `nlp.rms_norm`.";
  let description = [{
    With `n = input * rstd` and `g = result_grad * weight`:
    `input_grad = rstd * (g - n * avg(g * n))` over the last dimension,
    `weight_grad = sum result_grad * n` over all others.

    Constraints:
    - (C1) `weight` has rank 1 and the size of the last dimension of `input`.
    - (C2) `rstd` has the shape of `input` without its last dimension.
  }];
  let results = (outs NLP_FloatTensor:$input_grad,
                      NLP_FloatTensor:$weight_grad);
  let assemblyFormat = [{
    $result_grad `,` $input `,` $weight `,` $rstd attr-dict
    `:` type($input) `,` type($weight) `,` type($rstd)
  }];
  let hasVerifier = 1;
}

#endif // NLP_DIALECT_NLP_IR_NORMOPS
