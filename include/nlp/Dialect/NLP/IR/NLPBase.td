//===- NLPBase.td - The nlp dialect and the base of its ops -*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_NLPBASE
#define NLP_DIALECT_NLP_IR_NLPBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def NLP_Dialect : Dialect {
  let name = "nlp";
  let cppNamespace = "::nlp";
  let summary = "Transformer training steps on tensors with value semantics.";
  let description = [{
    A module holds parameters and state as symbols and one `nlp.step` with the
    segments of a training step. Shapes are static. What the planner decides
    stands in attributes of this dialect (`#nlp.plan` on the step, `#nlp.op_plan`
    on ops) until an apply pass carries it out.
  }];
  let useDefaultAttributePrinterParser = 1;
  // Each family's ops are compiled and registered in a file of their own.
  let extraClassDeclaration = [{
    void registerAttentionOps();
    void registerLossOps();
    void registerMatmulOps();
    void registerNormOps();
    void registerOptimizerOps();
    void registerPointwiseOps();
    void registerShapeOps();
    void registerStepOps();
  }];
}

/// Sizes are static, none is 0, and the bytes can be counted.
class NLP_TensorOf<list<Type> elements> : RankedTensorOf<elements,
    [HasStaticShapePred, CPred<"::nlp::isSizedTensor($_self)">],
    "tensor with static sizes of 1 or more and 2^56 bytes at most">;

def NLP_FloatTensor : NLP_TensorOf<[F32, BF16, F16, F64]>;
def NLP_F32Tensor : NLP_TensorOf<[F32]>;
def NLP_F64Tensor : NLP_TensorOf<[F64]>;
def NLP_IndexTensor : NLP_TensorOf<[I32]>;
def NLP_AnyTensor : NLP_TensorOf<[F32, BF16, F16, F64, I8, I32, I64]>;
def NLP_ScalarF64 : 0DTensorOf<[F64]>, BuildableType<
    "::mlir::RankedTensorType::get({}, $_builder.getF64Type())">;
def NLP_ScalarI64 : 0DTensorOf<[I64]>, BuildableType<
    "::mlir::RankedTensorType::get({}, $_builder.getIntegerType(64))">;
def NLP_ScalarF32 : 0DTensorOf<[F32]>, BuildableType<
    "::mlir::RankedTensorType::get({}, $_builder.getF32Type())">;

#endif // NLP_DIALECT_NLP_IR_NLPBASE
