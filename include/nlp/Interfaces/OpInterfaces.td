//===- OpInterfaces.td - What passes may ask of an op -----*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes ask these interfaces and never switch over op names: a new op that
// implements them needs no edit in Analysis, Planner or Transforms.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_INTERFACES_OPINTERFACES
#define NLP_INTERFACES_OPINTERFACES

include "mlir/IR/OpBase.td"

def NLP_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::nlp";
  let description = [{
    Builds the vector-Jacobian product of an op: for `y = f(x)` and the
    gradient `dy` of a scalar loss, the ops that compute `dx = J^T dy`.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the gradients of the operands at `builder`'s insertion point.
      `resultGradients` has one entry for each result; a null value stands for
      zero. `operandGradients` has one entry for each operand, null on entry;
      the method fills the entries whose `needed` flag is set and whose gradient
      is not zero. A gradient has the type of the value it belongs to. Fails
      with an error on the op where the gradient does not exist.
    }], "::llvm::LogicalResult", "buildGradient",
    (ins "::mlir::OpBuilder &":$builder,
         "::mlir::ValueRange":$resultGradients,
         "::llvm::ArrayRef<bool>":$needed,
         "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients)>,
    InterfaceMethod<[{
      Appends the operands and results that `buildGradient` reads: what has to
      be kept, or computed again, for the backward pass.
    }], "void", "getGradientReads",
    (ins "::llvm::SmallVectorImpl<::mlir::Value> &":$values)>
  ];
}

def NLP_CostModelOpInterface : OpInterface<"CostModelOpInterface"> {
  let cppNamespace = "::nlp";
  let description = [{
    Work of one execution in machine-independent units. Seconds are a matter of
    the machine model, never of an op.
  }];
  let methods = [
    InterfaceMethod<"Floating-point operations; a fused multiply-add is two.",
      "int64_t", "getFlops">,
    InterfaceMethod<"True where the flops run on a matrix unit.",
      "bool", "isMatrixWork", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Bytes read from memory: by default all operands, once.",
      "int64_t", "getBytesRead", (ins), "",
      [{ return ::nlp::getTensorBytes($_op->getOperandTypes()); }]>,
    InterfaceMethod<"Bytes written: by default all results, once.",
      "int64_t", "getBytesWritten", (ins), "",
      [{ return ::nlp::getTensorBytes($_op->getResultTypes()); }]>
  ];
}

def NLP_ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::nlp";
  let description = [{
    Names the factors of an op's iteration space and the dimensions that each
    of them runs over. Narrowing the batch to a micro-batch and partitioning
    over a mesh follow the factors and need not know the op.
  }];
  let methods = [
    InterfaceMethod<"The factors and how dimensions are made of them.",
      "::nlp::ShardingRule", "getShardingRule">
  ];
}

def NLP_PrecisionPolicyOpInterface : OpInterface<"PrecisionPolicyOpInterface"> {
  let cppNamespace = "::nlp";
  let description = "Says in which element types an op may run.";
  let methods = [
    InterfaceMethod<"Must stay f32, may be lowered, or follows its inputs.",
      "::nlp::PrecisionPolicy", "getPrecisionPolicy">
  ];
}

def NLP_RecomputeOpInterface : OpInterface<"RecomputeOpInterface"> {
  let cppNamespace = "::nlp";
  let description = [{
    Says whether running an op again gives the same bits. Ops without this
    interface are never recomputed.
  }];
  let methods = [
    InterfaceMethod<"Pure, random with a counter-based generator, or never.",
      "::nlp::RecomputeKind", "getRecomputeKind", (ins), "",
      [{ return ::nlp::RecomputeKind::Pure; }]>
  ];
}

def NLP_EvaluationOpInterface : OpInterface<"EvaluationOpInterface"> {
  let cppNamespace = "::nlp";
  let description = [{
    For ops that behave differently when a model is evaluated. Ops without this
    interface are the same in training and evaluation.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds, at `builder`'s insertion point, what the op is in evaluation, and
      appends one value for each result: results of new ops, operands, or the
      op's own results where nothing changes.
    }], "void", "buildEvaluation",
    (ins "::mlir::OpBuilder &":$builder,
         "::llvm::SmallVectorImpl<::mlir::Value> &":$values)>
  ];
}

def NLP_ScalarDefinitionOpInterface
    : OpInterface<"ScalarDefinitionOpInterface"> {
  let cppNamespace = "::nlp";
  let description = [{
    Defines a pointwise op by what it does to one element. CPU code, GPU code
    and the reference interpreter are derived from this one definition. All
    tensor operands and results of such an op have the same shape.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the definition from ops of the `arith` and `math` dialects. `args`
      has one value for each operand: all floats (f32 or f64) or all vectors of
      floats; the body has to work for both (see `getScalarConstant`). Returns
      one value for each result.
    }], "::llvm::SmallVector<::mlir::Value>", "buildScalar",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::ValueRange":$args)>
  ];
}

#endif // NLP_INTERFACES_OPINTERFACES
