//===- LossOps.td - Losses -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_LOSSOPS
#define NLP_DIALECT_NLP_IR_LOSSOPS

include "nlp/Dialect/NLP/IR/NLPOpBase.td"

def NLP_CrossEntropyOp : NLP_ForwardOp<"cross_entropy",
    (ins NLP_FloatTensor:$logits, NLP_IndexTensor:$targets,
         F64Attr:$normalizer), [InferTypeOpAdaptor]> {
  let summary = "Computes the cross-entropy of logits against targets.";
  let description = [{
    `loss = sum over rows of (lse - logits[target]) / normalizer` where
    `lse = log sum exp(logits)` over the last dimension, accumulated in f32. Rows
    whose target is negative count nothing. `normalizer` is the number of rows of
    the *global* batch, so that losses of micro-batches add up.

    Constraints:
    - (C1) `logits` has the shape of `targets` and one more dimension.
    - (C2) `normalizer` is positive.
  }];
  let results = (outs NLP_ScalarF32:$loss, NLP_F32Tensor:$lse);
  let assemblyFormat = [{
    $logits `,` $targets `normalizer` $normalizer attr-dict
    `:` type($logits) `,` type($targets)
  }];
  let hasVerifier = 1;
}

def NLP_CrossEntropyGradOp : NLP_BackwardOp<"cross_entropy_grad",
    (ins NLP_ScalarF32:$loss_grad, NLP_FloatTensor:$logits,
         NLP_IndexTensor:$targets, NLP_F32Tensor:$lse, F64Attr:$normalizer),
    [AllTypesMatch<["logits", "logits_grad"]>]> {
  let summary = "Computes the gradient of `nlp.cross_entropy`.";
  let description = [{
    `logits_grad = (softmax(logits) - onehot(target)) * loss_grad / normalizer`,
    zero in rows whose target is negative.

    Constraints:
    - (C1) `logits` has the shape of `targets` and one more dimension.
    - (C2) `lse` has the shape of `targets`.
    - (C3) `normalizer` is positive.
  }];
  let results = (outs NLP_FloatTensor:$logits_grad);
  let assemblyFormat = [{
    $loss_grad `,` $logits `,` $targets `,` $lse `normalizer` $normalizer
    attr-dict `:` type($logits) `,` type($targets) `,` type($lse)
  }];
  let hasVerifier = 1;
}

#endif // NLP_DIALECT_NLP_IR_LOSSOPS
