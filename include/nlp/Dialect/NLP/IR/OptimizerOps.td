//===- OptimizerOps.td - Clipping and updates -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_OPTIMIZEROPS
#define NLP_DIALECT_NLP_IR_OPTIMIZEROPS

include "nlp/Dialect/NLP/IR/NLPOpBase.td"

def NLP_SquareSumOp : NLP_BackwardOp<"square_sum",
    (ins NLP_FloatTensor:$input), [InferTypeOpAdaptor]> {
  let summary = "Sums the squares over fixed blocks of elements.";
  let description = [{
    `result[i] = sum of input[j]^2` over the `i`-th block of 16384 elements in
    row-major order, in f64. Blocks are fixed, so that later sharding cannot
    change the norm.
  }];
  let results = (outs NLP_F64Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def NLP_ClipFactorOp : NLP_BackwardOp<"clip_factor",
    (ins NLP_ScalarF64:$max_norm,
         Variadic<NLP_F64Tensor>:$square_sums)> {
  let summary = "Computes the global norm and the factor that clips it.";
  let description = [{
    `norm = (sum of all square sums, in order)^(1/2)`,
    `factor = min(1, max_norm / (norm + 1e-6))`; a `max_norm` of 0 or less clips
    nothing.
  }];
  let results = (outs NLP_ScalarF32:$factor, NLP_ScalarF32:$norm);
  let assemblyFormat = [{
    $max_norm `,` $square_sums attr-dict `:` type($square_sums)
  }];
}

def NLP_AdamWOp : NLP_BackwardOp<"adamw",
    (ins NLP_FloatTensor:$parameter, NLP_FloatTensor:$grad,
         NLP_FloatTensor:$first_moment, NLP_FloatTensor:$second_moment,
         Optional<NLP_ScalarF32>:$grad_factor,
         NLP_ScalarF64:$learning_rate, NLP_ScalarF64:$beta1,
         NLP_ScalarF64:$beta2, NLP_ScalarF64:$epsilon,
         Optional<NLP_ScalarF64>:$weight_decay, NLP_ScalarI64:$step_number),
    [AttrSizedOperandSegments,
     AllTypesMatch<["parameter", "new_parameter"]>,
     AllTypesMatch<["first_moment", "second_moment", "new_first_moment",
                    "new_second_moment"]>]> {
  let summary = "Updates a parameter by AdamW.";
  let description = [{
    With `g = grad * grad_factor` and `t = step_number` (from 1), in f32:
    `m' = beta1 m + (1 - beta1) g`, `v' = beta2 v + (1 - beta2) g^2`,
    `p' = p - lr (weight_decay p + m^ / (v^^(1/2) + epsilon))`, where
    `m^ = m' / (1 - beta1^t)`, `v^ = v' / (1 - beta2^t)` (Loshchilov and Hutter,
    arXiv:1711.05101). Corrections are computed in f64.

    Constraints:
    - (C1) all tensors have the parameter's shape.
  }];
  let results = (outs NLP_FloatTensor:$new_parameter,
                      NLP_FloatTensor:$new_first_moment,
                      NLP_FloatTensor:$new_second_moment);
  let assemblyFormat = [{
    $parameter `,` $grad `moments` $first_moment `,` $second_moment
    (`factor` $grad_factor^)?
    `scalars` $learning_rate `,` $beta1 `,` $beta2 `,` $epsilon `,`
    $step_number (`decay` $weight_decay^)? attr-dict
    `:` type($parameter) `,` type($grad) `,` type($first_moment)
  }];
  let hasVerifier = 1;
}

def NLP_SGDOp : NLP_BackwardOp<"sgd",
    (ins NLP_FloatTensor:$parameter, NLP_FloatTensor:$grad,
         NLP_FloatTensor:$velocity, Optional<NLP_ScalarF32>:$grad_factor,
         NLP_ScalarF64:$learning_rate, NLP_ScalarF64:$momentum,
         Optional<NLP_ScalarF64>:$weight_decay),
    [AttrSizedOperandSegments,
     AllTypesMatch<["parameter", "new_parameter"]>,
     AllTypesMatch<["velocity", "new_velocity"]>]> {
  let summary = "Updates a parameter by gradient descent with momentum.";
  let description = [{
    With `g = grad * grad_factor`, in f32: `u' = momentum u + g`,
    `p' = p - lr (weight_decay p + u')`.

    Constraints:
    - (C1) all tensors have the parameter's shape.
  }];
  let results = (outs NLP_FloatTensor:$new_parameter,
                      NLP_FloatTensor:$new_velocity);
  let assemblyFormat = [{
    $parameter `,` $grad `velocity` $velocity (`factor` $grad_factor^)?
    `scalars` $learning_rate `,` $momentum (`decay` $weight_decay^)? attr-dict
    `:` type($parameter) `,` type($grad) `,` type($velocity)
  }];
  let hasVerifier = 1;
}

#endif // NLP_DIALECT_NLP_IR_OPTIMIZEROPS
