//===- NLPOps.td - All ops of the nlp dialect -------------*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_NLPOPS
#define NLP_DIALECT_NLP_IR_NLPOPS

include "nlp/Dialect/NLP/IR/AttentionOps.td"
include "nlp/Dialect/NLP/IR/LossOps.td"
include "nlp/Dialect/NLP/IR/MatmulOps.td"
include "nlp/Dialect/NLP/IR/NormOps.td"
include "nlp/Dialect/NLP/IR/OptimizerOps.td"
include "nlp/Dialect/NLP/IR/PointwiseOps.td"
include "nlp/Dialect/NLP/IR/ShapeOps.td"
include "nlp/Dialect/NLP/IR/StepOps.td"

#endif // NLP_DIALECT_NLP_IR_NLPOPS
