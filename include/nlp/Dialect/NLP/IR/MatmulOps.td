//===- MatmulOps.td - Matrix products and embeddings -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_MATMULOPS
#define NLP_DIALECT_NLP_IR_MATMULOPS

include "nlp/Dialect/NLP/IR/NLPOpBase.td"

def NLP_LinearOp : NLP_ForwardOp<"linear",
    (ins NLP_FloatTensor:$input, NLP_FloatTensor:$weight,
         Optional<NLP_FloatTensor>:$bias, NLP_WeightLayoutAttr:$layout),
    [InferTypeOpAdaptor, NLP_IsMatrixWork]> {
  let summary = "Multiplies the last dimension by a matrix and adds a bias.";
  let description = [{
    `result[..., n] = sum_k input[..., k] * W(k, n) + bias[n]`, where the weight
    is stored as `[n, k]` (`out_in`: PyTorch's Linear) or `[k, n]` (`in_out`:
    GPT-2's Conv1D). Accumulated in f32. The gradient with respect to the input
    is `nlp.linear` with the other layout.

    Constraints:
    - (C1) `input` has rank 1 or more, `weight` rank 2.
    - (C2) the weight's input size is the last dimension of `input`.
    - (C3) `bias` has rank 1 and the weight's output size.
    - (C4) element types are equal.

    Example:

    ```mlir
    %y = nlp.linear %x, %w bias %b layout in_out
        : tensor<4x8x6xf32>, tensor<6x10xf32>, tensor<10xf32>
    ```
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? `layout` $layout attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)?
  }];
}

def NLP_LinearWeightGradOp : NLP_BackwardOp<"linear_weight_grad",
    (ins NLP_FloatTensor:$input, NLP_FloatTensor:$result_grad,
         NLP_WeightLayoutAttr:$layout),
    [InferTypeOpAdaptor, NLP_IsMatrixWork]> {
  let summary = "Computes the gradient of a linear layer's weight.";
  let description = [{
    `in_out`: `result[k, n] = sum_r input[r, k] * result_grad[r, n]` over all
    leading dimensions `r`; `out_in`: its transpose. Accumulated in f32.

    Constraints:
    - (C1) both inputs have the same rank, 2 or more, and the same leading
      dimensions and element type.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $result_grad `layout` $layout attr-dict
    `:` type($input) `,` type($result_grad)
  }];
}

def NLP_EmbeddingOp : NLP_ForwardOp<"embedding",
    (ins NLP_FloatTensor:$table, NLP_IndexTensor:$ids),
    [InferTypeOpAdaptor, NLP_OwnBytesRead]> {
  let summary = "Looks up rows of a table.";
  let description = [{
    `result[..., h] = table[ids[...], h]`. The data loader guarantees that ids are
    within the table.

    Constraints:
    - (C1) `table` has rank 2.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat =
      "$table `,` $ids attr-dict `:` type($table) `,` type($ids)";
}

def NLP_EmbeddingGradOp : NLP_BackwardOp<"embedding_grad",
    (ins NLP_FloatTensor:$result_grad, NLP_IndexTensor:$ids,
         I64Attr:$rows), [InferTypeOpAdaptor]> {
  let summary = "Adds up the gradients of each row of an embedding table.";
  let description = [{
    `result[v, h] = sum of result_grad[i..., h] over i... with ids[i...] = v`, in
    the order of `i...`.

    Constraints:
    - (C1) `result_grad` has the shape of `ids` and one more dimension.
    - (C2) `rows` is positive.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = [{
    $result_grad `,` $ids `rows` $rows attr-dict
    `:` type($result_grad) `,` type($ids)
  }];
}

#endif // NLP_DIALECT_NLP_IR_MATMULOPS
