//===- NLPPlanInterface.td - The plan on an op ------------*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_NLPPLANINTERFACE
#define NLP_DIALECT_NLP_IR_NLPPLANINTERFACE

include "mlir/IR/OpBase.td"

def NLP_PlannedOpInterface : OpInterface<"PlannedOpInterface"> {
  let cppNamespace = "::nlp";
  let description = [{
    Gives access to the part of the plan that stands on one op. The attribute
    is inherent: generic passes neither drop nor merge it.
  }];
  let methods = [
    InterfaceMethod<"The op's plan, or null where nothing is decided.",
      "::nlp::OpPlanAttr", "getOpPlan", (ins), "",
      [{ return $_op.getPlanAttr(); }]>,
    InterfaceMethod<"Sets the op's plan; null erases it.",
      "void", "setOpPlan", (ins "::nlp::OpPlanAttr":$plan), "", [{
        if (plan)
          $_op.setPlanAttr(plan);
        else
          $_op.removePlanAttr();
      }]>
  ];
}

#endif // NLP_DIALECT_NLP_IR_NLPPLANINTERFACE
