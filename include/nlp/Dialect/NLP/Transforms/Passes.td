//===- Passes.td - Passes on the nlp dialect --------------*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_TRANSFORMS_PASSES
#define NLP_DIALECT_NLP_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

/// A pass on the steps of a module. On failure the module is as it was.
class NLP_Pass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::nlp::NLPDialect"];
}

def Autodiff : NLP_Pass<"nlp-autodiff"> {
  let summary = "Adds the backward pass to a forward graph.";
  let description = [{
    Takes a step that holds one forward segment which ends in
    `nlp.report loss`, and makes three segments of it:

    - `@forward_backward`: the forward ops, `nlp.turn`, and the gradients in
      reverse order. The loss and the gradients of the trainable parameters are
      added to accumulating slots, `@loss` and `@grad.<parameter>`, each
      contribution as soon as it is there, so that nothing waits for another
      read of a tied weight.
    - `@update`: reports the loss; see `nlp-add-optimizer`.
    - `@evaluate`: the forward ops as they are in evaluation, without dropout.

    Values that need no gradient (frozen parameters, inputs, what depends on
    nothing else) cause no work. Each backward op has the location of its
    forward op. Fails where an op on the way from a parameter to the loss has no
    gradient.
  }];
}

def AddOptimizer : NLP_Pass<"nlp-add-optimizer"> {
  let summary = "Fills the update segment with clipping and updates.";
  let description = [{
    For each parameter that has a gradient, in the order of declaration, the
    update segment gets an `nlp.adamw` or `nlp.sgd` with the moments
    `@m.<parameter>` and `@v.<parameter>`, and assigns their results. Weight
    decay applies to parameters marked `decay`. The global norm of the gradients
    is always reported; it scales them only with `clip`. The schedule becomes one
    micro-batch: forward and backward, then update.
  }];
  let options = [
    Option<"optimizer", "optimizer", "::nlp::OptimizerKind",
           /*default=*/"::nlp::OptimizerKind::AdamW", "The update rule.", [{
      ::llvm::cl::values(
        clEnumValN(::nlp::OptimizerKind::AdamW, "adamw",
                   "Adam with decoupled weight decay."),
        clEnumValN(::nlp::OptimizerKind::SGD, "sgd",
                   "Gradient descent with momentum."))
    }]>,
    Option<"clip", "clip", "bool", /*default=*/"true",
           "Scale gradients whose global norm is above max_grad_norm.">
  ];
}

#endif // NLP_DIALECT_NLP_TRANSFORMS_PASSES
