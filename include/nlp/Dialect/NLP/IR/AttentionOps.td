//===- AttentionOps.td - Attention and rotary positions -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_ATTENTIONOPS
#define NLP_DIALECT_NLP_IR_ATTENTIONOPS

include "nlp/Dialect/NLP/IR/NLPOpBase.td"

def NLP_RopeOp : NLP_ForwardOp<"rope",
    (ins NLP_FloatTensor:$input, DenseF64ArrayAttr:$frequencies,
         DefaultValuedAttr<BoolAttr, "false">:$inverse),
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "Rotates pairs of features by an angle that grows with position.";
  let description = [{
    For input `[batch, position, head, feature]` of `d` features and
    `i < d/2`, with `angle = position * frequencies[i]`:
    `result[i] = input[i] cos(angle) - input[i + d/2] sin(angle)`,
    `result[i + d/2] = input[i + d/2] cos(angle) + input[i] sin(angle)`
    (Su et al., arXiv:2104.09864, in Hugging Face's order of features).
    `inverse` rotates back: the gradient. Scaled variants differ in their
    frequencies only.

    Constraints:
    - (C1) `input` has rank 4 and an even last dimension `d`.
    - (C2) `frequencies` has `d/2` entries.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat =
      "$input `frequencies` custom<Exact>($frequencies) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NLP_AttentionOp : NLP_ForwardOp<"attention",
    (ins NLP_FloatTensor:$query, NLP_FloatTensor:$key, NLP_FloatTensor:$value,
         Optional<NLP_ScalarI64>:$seed, Optional<NLP_ScalarI64>:$first_sequence,
         NLP_MaskKindAttr:$mask, DefaultValuedAttr<I64Attr, "0">:$window,
         F64Attr:$scale, DefaultValuedAttr<F64Attr, "0.0">:$dropout,
         DefaultValuedAttr<StrAttr, "\"\"">:$site),
    [AttrSizedOperandSegments, AllTypesMatch<["key", "value"]>,
     InferTypeOpAdaptor, NLP_IsMatrixWork, NLP_IsRandom,
     NLP_DiffersInEvaluation]> {
  let summary = "Computes softmax attention, saving only the log-sum-exp.";
  let description = [{
    Query `[b, t, hq, d]`, key and value `[b, s, hkv, d]`; query head `h` reads
    key head `h / (hq / hkv)`. With `score = scale * q . k` over the keys that the
    mask admits: `result = softmax(score) v` and `lse = log sum exp(score)`, both
    accumulated in f32. Masks: `causal` admits `s <= t`, `sliding_window`
    admits `t - window < s <= t`. `dropout` drops probabilities after the softmax,
    drawing as `nlp.dropout` does with element index
    `(((first_sequence + b) * hq + h) * t_size + t) * s_size + s`.

    Constraints:
    - (C1) all three have rank 4, the same element type, batch and `d`.
    - (C2) key and value have the same type; `hkv` divides `hq`.
    - (C3) causal masks need as many keys as queries.
    - (C4) `window` is positive for sliding windows and 0 otherwise.
    - (C5) `dropout` is in [0, 1); `seed` and `first_sequence` are given both or
      neither, and both with a `site` where it is not 0.
  }];
  let results = (outs NLP_FloatTensor:$result, NLP_F32Tensor:$lse);
  let assemblyFormat = [{
    $mask $query `,` $key `,` $value (`seed` $seed^ `,` $first_sequence)?
    `scale` $scale attr-dict `:` type($query) `,` type($key)
  }];
  let hasVerifier = 1;
}

def NLP_AttentionGradOp : NLP_BackwardOp<"attention_grad",
    (ins NLP_FloatTensor:$result_grad, NLP_FloatTensor:$query,
         NLP_FloatTensor:$key, NLP_FloatTensor:$value, NLP_FloatTensor:$result,
         NLP_F32Tensor:$lse,
         Optional<NLP_ScalarI64>:$seed, Optional<NLP_ScalarI64>:$first_sequence,
         NLP_MaskKindAttr:$mask, DefaultValuedAttr<I64Attr, "0">:$window,
         F64Attr:$scale, DefaultValuedAttr<F64Attr, "0.0">:$dropout,
         DefaultValuedAttr<StrAttr, "\"\"">:$site),
    [AttrSizedOperandSegments,
     AllTypesMatch<["result_grad", "query", "result", "query_grad"]>,
     AllTypesMatch<["key", "value", "key_grad", "value_grad"]>,
     NLP_IsMatrixWork, NLP_IsRandom]> {
  let summary = "Computes the gradients of `nlp.attention`.";
  let description = [{
    With `p = exp(score - lse)` (dropped and scaled where there is dropout) and
    `delta = rowsum(result_grad * result)`: `value_grad = p^T result_grad`,
    `ds = p * (result_grad value^T - delta)`, `query_grad = scale * ds key`,
    `key_grad = scale * ds^T query` (Dao, arXiv:2307.08691, algorithm 2).

    Constraints: those of `nlp.attention`, and
    - (C6) `lse` has shape `[b, hq, t]`.
  }];
  let results = (outs NLP_FloatTensor:$query_grad, NLP_FloatTensor:$key_grad,
                      NLP_FloatTensor:$value_grad);
  let assemblyFormat = [{
    $mask $result_grad `,` $query `,` $key `,` $value `,` $result `,` $lse
    (`seed` $seed^ `,` $first_sequence)?
    `scale` $scale attr-dict
    `:` type($query) `,` type($key) `,` type($lse)
  }];
  let hasVerifier = 1;
}

#endif // NLP_DIALECT_NLP_IR_ATTENTIONOPS
