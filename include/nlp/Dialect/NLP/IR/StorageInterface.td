//===- StorageInterface.td - Whose bytes a value shows ----*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Storage.h asks of ops; the lowering and the planner ask Storage.h.
// StorageModels.cpp has the answers.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_STORAGEINTERFACE
#define NLP_DIALECT_NLP_IR_STORAGEINTERFACE

include "mlir/IR/OpBase.td"

def NLP_StorageOpInterface : OpInterface<"StorageOpInterface"> {
  let cppNamespace = "::nlp";
  let description = [{
    Says where the results of an op may lie. Ops without this interface write
    each result to bytes of its own.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the result is another view of the bytes of the first operand:
      nothing runs.
    }], "bool", "isView", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      Whether `result` may be written over the bytes of `operand`, which has the
      same type: each element is read before it is written.
    }], "bool", "mayOverwrite",
    (ins "::mlir::OpResult":$result, "::mlir::OpOperand &":$operand), "",
    [{ return false; }]>,
    InterfaceMethod<[{
      Whether the op can add its result to what a buffer holds.
    }], "bool", "canAdd", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      Where, in bytes, the only result holds a copy of `operand` as one range;
      none where it does not.
    }], "::std::optional<int64_t>", "getRangeOffset",
    (ins "::mlir::OpOperand &":$operand), "", [{ return ::std::nullopt; }]>
  ];
}

#endif // NLP_DIALECT_NLP_IR_STORAGEINTERFACE
