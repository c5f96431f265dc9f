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

def ApplyMicroBatch : NLP_Pass<"nlp-apply-micro-batch"> {
  let summary = "Narrows the batch to the plan's micro-batch.";
  let description = [{
    Narrows the first dimension of all inputs from the global batch to
    `micro_batch` of the plan, follows the ops' sharding rules to all values that
    depend on it, and repeats the runs of the schedule for each micro-batch,
    updates last: F0 B0 F1 B1 ... U.

    Fails where the micro-batch does not divide the batch, where an op needs the
    whole batch, and where a sum over the batch is used for anything but
    accumulating.
  }];
}

def ApplyLossChunks : NLP_Pass<"nlp-apply-loss-chunks"> {
  let summary = "Runs head and loss for some tokens at a time.";
  let description = [{
    With `loss_chunks = N` in the plan, the ops from the product that makes the
    logits to the products that use their gradient run in N copies, each for its
    part of the tokens of a micro-batch: neither the logits nor their gradient
    exist whole, and no product is computed twice. Where N does not divide the
    tokens, chunks differ by one row.

    In `forward_backward` segments all of it, forward and backward, moves right
    behind `nlp.turn`; in `evaluate` it stays in its place. A chunk reads slices
    of what enters, which are views. What it computes for its tokens (the
    gradient of the hidden state) is joined by `nlp.concat`. What is a sum over
    tokens (the loss, gradients of weights and biases) is accumulated chunk by
    chunk in the slots that it went to; other users read the sum of the parts.

    Marks to recompute ops of the loss are dropped. An order is rewritten:
    entries of what is replaced go, and the new ops stand behind the turn.

    Fails where a segment has no loss that can run for some tokens at a time, or
    fewer tokens than chunks, and where the loss is used in the forward pass for
    anything but accumulating.

    Example, with `loss_chunks = 2` and 8 tokens:

    ```mlir
    nlp.turn
    %flat = nlp.reshape %x : tensor<2x4x6xf32> -> tensor<1x8x6xf32>
    %x0 = nlp.slice %flat dim 1 from 0 size 4 : tensor<1x8x6xf32>
    %h0 = nlp.linear %x0, %w layout out_in
        : tensor<1x4x6xf32>, tensor<10x6xf32>
    // ... the loss, its gradient, and the rest for tokens 0 to 3
    %x1 = nlp.slice %flat dim 1 from 4 size 4 : tensor<1x8x6xf32>
    // ... the same for tokens 4 to 7
    %joined = nlp.concat %dx0, %dx1 dim 1
        : tensor<1x4x6xf32>, tensor<1x4x6xf32>
    %dx = nlp.reshape %joined : tensor<1x8x6xf32> -> tensor<2x4x6xf32>
    ```
  }];
}

def ApplyPrecision : NLP_Pass<"nlp-apply-precision"> {
  let summary = "Carries out the precision of ops.";
  let description = [{
    Erases precisions that ops have already. Other precisions, and numerics beyond
    `exact`, are not supported yet and an error.
  }];
}

def ApplyPartition : NLP_Pass<"nlp-apply-partition"> {
  let summary = "Carries out the mesh and the shardings.";
  let description = [{
    Erases shardings of a mesh of one device. Other meshes and shardings are not
    supported yet and an error.
  }];
}

def ApplyRecompute : NLP_Pass<"nlp-apply-recompute"> {
  let summary = "Clones ops whose results are not kept for the backward pass.";
  let description = [{
    In `forward_backward` segments, serves the backward uses of results that are
    marked `recompute` by a clone of the op, just before the first of these uses
    and shared by the others; operands of the clone that are marked themselves
    come from clones too. Erases the marks, and ops that nothing uses any more.
    Clones keep the op's place, in a location with the metadata "recompute".

    Where the segment has an order, the order says where clones run, and is
    carried out and erased as well. There may be several clones of an op; a use
    is served by the latest before it, or by the op itself before the first.
  }];
}

def ApplySchedule : NLP_Pass<"nlp-apply-schedule"> {
  let summary = "Orders the passes of the micro-batches.";
  let description = [{
    With schedule `gpipe` and several micro-batches, cuts the
    `forward_backward` segment into `@forward` and `@backward`, lets values cross
    in slots `@saved.<n>`, and schedules F0 F1 ... B0 B1 ... U. Schedules `none`
    and `one_f_one_b` need no change with one stage.
  }];
}

def ApplyUpdateInBackward : NLP_Pass<"nlp-apply-update-in-backward"> {
  let summary = "Moves updates into the backward pass.";
  let description = [{
    With `update_in_backward` in the plan, moves what the update segment does
    with each gradient into the `forward_backward` segment: right behind the last
    op that adds to the gradient or uses what the update assigns. A parameter
    that several ops read, in the backward pass or where they are recomputed, is
    thus updated behind all of them, and a gradient of several contributions
    behind the last. The update segment keeps the reports; square sums for the
    norm reach it through slots `@saved.<n>`.

    Fails where an update needs other gradients, as with clipping by the global
    norm, and where the step has several micro-batches. Orders and recomputations
    are carried out before.
  }];
}

def Schedule : NLP_Pass<"nlp-schedule"> {
  let summary = "Brings the ops of segments into their order.";
  let description = [{
    Moves the ops of each segment that has an `#nlp.order` and erases the order.
    Fails on orders that use a value before it is computed, or that exchange
    accesses to the same parameter, state or slot of which one writes.
  }];
}

def VerifyPhase : NLP_Pass<"nlp-verify-phase"> {
  let summary = "Checks what a phase promises to the next.";
  let description = [{
    - `graph`: one forward segment that reports the loss. Inputs have the
      model's length; tables and logits have a row for each id of its vocabulary.
    - `joint`: the same of inputs, tables and logits; a schedule that ends in the
      update; each gradient is accumulated, loaded and used; update and
      evaluation report what they should; the micro-batches add up to the global
      batch.
    - `planned`: joint, and a plan.
    - `applied`: joint, and no part of the plan that is not carried out. A budget
      may remain.
  }];
  let options = [
    Option<"phase", "phase", "::nlp::Phase", /*default=*/"::nlp::Phase::Graph",
           "The phase that the module has reached.", [{
      ::llvm::cl::values(
        clEnumValN(::nlp::Phase::Graph, "graph", "A forward graph."),
        clEnumValN(::nlp::Phase::Joint, "joint", "A training step."),
        clEnumValN(::nlp::Phase::Planned, "planned", "A step with a plan."),
        clEnumValN(::nlp::Phase::Applied, "applied", "A plan carried out."))
    }]>
  ];
}

#endif // NLP_DIALECT_NLP_TRANSFORMS_PASSES
