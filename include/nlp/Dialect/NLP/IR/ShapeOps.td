//===- ShapeOps.td - Reshapes, slices, broadcasts, reductions -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_SHAPEOPS
#define NLP_DIALECT_NLP_IR_SHAPEOPS

include "nlp/Dialect/NLP/IR/NLPOpBase.td"

def NLP_ReshapeOp : NLP_ForwardOp<"reshape", (ins NLP_AnyTensor:$input),
    [NLP_OwnBytes]> {
  let summary = "Gives the same elements another shape.";
  let description = [{
    Elements keep their row-major order.

    Constraints:
    - (C1) input and result have as many elements and the same element type.

    Example: `%1 = nlp.reshape %0 : tensor<2x4x6xf32> -> tensor<2x4x2x3xf32>`
  }];
  let results = (outs NLP_AnyTensor:$result);
  let assemblyFormat =
      "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def NLP_TransposeOp : NLP_ForwardOp<"transpose",
    (ins NLP_FloatTensor:$input, DenseI64ArrayAttr:$permutation),
    [InferTypeOpAdaptor]> {
  let summary = "Permutes the dimensions.";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the input.

    Constraints:
    - (C1) `permutation` is a permutation of the input's dimensions.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` type($input)";
}

def NLP_SplitOp : NLP_ForwardOp<"split",
    (ins NLP_FloatTensor:$input, I64Attr:$dim, DenseI64ArrayAttr:$sizes),
    [InferTypeOpAdaptor]> {
  let summary = "Cuts a tensor into parts along one dimension.";
  let description = [{
    Constraints:
    - (C1) `dim` is a dimension of the input.
    - (C2) `sizes` are positive and add up to the size of that dimension.

    Example: `%q, %k = nlp.split %0 dim 1 [4, 2] : tensor<2x6xf32>`
  }];
  let results = (outs Variadic<NLP_FloatTensor>:$parts);
  let assemblyFormat = "$input `dim` $dim $sizes attr-dict `:` type($input)";
}

def NLP_ConcatOp : NLP_ForwardOp<"concat",
    (ins Variadic<NLP_FloatTensor>:$parts, I64Attr:$dim),
    [InferTypeOpAdaptor]> {
  let summary = "Joins tensors along one dimension.";
  let description = [{
    Constraints:
    - (C1) there is at least one part, and `dim` is a dimension of it.
    - (C2) parts differ in dimension `dim` only.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = "$parts `dim` $dim attr-dict `:` type($parts)";
}

def NLP_SliceOp : NLP_ForwardOp<"slice",
    (ins NLP_AnyTensor:$input, I64Attr:$dim, I64Attr:$offset, I64Attr:$size),
    [InferTypeOpAdaptor, NLP_OwnBytesRead]> {
  let summary = "Takes a range of one dimension.";
  let description = [{
    Constraints:
    - (C1) `dim` is a dimension of the input.
    - (C2) `offset >= 0`, `size >= 1`, and `offset + size` is at most its size.
  }];
  let results = (outs NLP_AnyTensor:$result);
  let assemblyFormat =
      "$input `dim` $dim `from` $offset `size` $size attr-dict `:` type($input)";
}

def NLP_PadOp : NLP_ForwardOp<"pad",
    (ins NLP_FloatTensor:$input, I64Attr:$dim, I64Attr:$before, I64Attr:$after),
    [InferTypeOpAdaptor]> {
  let summary = "Puts zeros before and after a tensor along one dimension.";
  let description = [{
    The gradient of `nlp.slice`.

    Constraints:
    - (C1) `dim` is a dimension of the input.
    - (C2) `before` and `after` are 0 or more.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat =
      "$input `dim` $dim `by` $before `,` $after attr-dict `:` type($input)";
}

def NLP_BroadcastOp : NLP_ForwardOp<"broadcast",
    (ins NLP_FloatTensor:$input)> {
  let summary = "Repeats a tensor along new leading dimensions.";
  let description = [{
    `result[i..., j...] = input[j...]`.

    Constraints:
    - (C1) the input's shape is a suffix of the result's, with the same element
      type.

    Example: `%1 = nlp.broadcast %0 : tensor<6xf32> -> tensor<2x4x6xf32>`
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat =
      "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def NLP_ReduceSumOp : NLP_ForwardOp<"reduce_sum",
    (ins NLP_FloatTensor:$input, I64Attr:$leading), [InferTypeOpAdaptor]> {
  let summary = "Sums over the first dimensions.";
  let description = [{
    `result[j...] = sum over i... of input[i..., j...]`, where `i...` are the
    first `leading` dimensions; accumulated in f32 or wider, over blocks of rows
    that depend on the shape only, so that the number of threads does not
    change the result. The gradient of `nlp.broadcast`.

    Constraints:
    - (C1) `leading` is between 1 and the input's rank.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = "$input `leading` $leading attr-dict `:` type($input)";
}

def NLP_FillOp : NLP_BackwardOp<"fill", (ins F64Attr:$value)> {
  let summary = "Makes a tensor whose elements are all the same.";
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def NLP_CastOp : NLP_ForwardOp<"cast", (ins NLP_FloatTensor:$input)> {
  let summary = "Converts the elements to another float type.";
  let description = [{
    Rounds to nearest, ties to even. The gradient is the cast back.

    Constraints:
    - (C1) input and result have the same shape.
  }];
  let results = (outs NLP_FloatTensor:$result);
  let assemblyFormat =
      "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // NLP_DIALECT_NLP_IR_SHAPEOPS
