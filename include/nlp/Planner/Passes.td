//===- Passes.td - The planner as a pass ---------------------*- tablegen -*-=//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLP_PLANNER_PASSES
#define NLP_PLANNER_PASSES

include "mlir/Pass/PassBase.td"

def Plan : Pass<"nlp-plan", "::mlir::ModuleOp"> {
  let summary = "Decides how to fit a step into memory; writes attributes only.";
  let description = [{
    Sets the `plan` of the module's `nlp.step`. What an option fixes is taken as
    it is; 0 or an empty text leaves it to the planner, which chooses one device,
    the whole batch as one micro-batch, and to keep every value.

    Parameters are updated in the backward pass where the step has one
    micro-batch on one device and no update needs another gradient (as clipping
    by the global norm does): it costs no time, and gradients then live for a
    few ops each.

    Requires a differentiated step. Changes nothing but the plan.
  }];
  let options = [
    Option<"dp", "dp", "int64_t", "0", "Ranks of data parallelism.">,
    Option<"tp", "tp", "int64_t", "0", "Ranks of tensor parallelism.">,
    Option<"pp", "pp", "int64_t", "0", "Pipeline stages.">,
    Option<"cp", "cp", "int64_t", "0", "Ranks of context parallelism.">,
    Option<"ep", "ep", "int64_t", "0", "Ranks of expert parallelism.">,
    Option<"zero", "zero", "int64_t", "0", "ZeRO stage, 0 to 3.">,
    Option<"sequenceParallel", "sequence-parallel", "bool", "false",
           "Split sequences between tensor-parallel parts.">,
    Option<"microBatch", "micro-batch", "int64_t", "0",
           "Sequences in a micro-batch of one device.">,
    Option<"lossChunks", "loss-chunks", "int64_t", "0",
           "Chunks of tokens in head and loss.">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "gpipe, 1f1b, interleaved:V, zb-h1 or zb-h2.">,
    Option<"numerics", "numerics", "std::string", "\"exact\"",
           "exact, mixed or aggressive.">,
    Option<"memoryBudget", "memory-budget", "int64_t", "0",
           "Bytes of each device; 0 is no limit.">,
    Option<"updateInBackward", "update-in-backward", "bool", "true",
           "Update parameters in the backward pass, where that is possible.">,
    ListOption<"stageLayers", "stage-layers", "int64_t",
               "Blocks of each pipeline stage.">
  ];
  let dependentDialects = ["::nlp::NLPDialect"];
}

def PlanStorage : Pass<"nlp-plan-storage", "::mlir::ModuleOp"> {
  let summary = "Decides which forward values to keep and which to recompute.";
  let description = [{
    Marks results `recompute` and fixes the order of each `forward_backward`
    segment, recomputations included, so that what the step holds at any time
    fits `memory-budget` at the least predicted time. Counts parameters, states,
    gradients, activations and transients; `reserve` is taken off the budget for
    what only the arena can tell: workspaces and fragmentation.

    Reads the shapes that run: micro-batch, loss chunks, partition and precision
    of the plan are applied before. Says what each decision costs and saves in
    remarks of the category `nlp-memory`. Without a budget everything is kept.

    Fails where the budget is below the smallest that is known to do, and names
    that one. Changes nothing but plan attributes.
  }];
  let options = [
    Option<"memoryBudget", "memory-budget", "int64_t", "0",
           "Bytes of the device; 0 is no limit.">,
    Option<"reserve", "reserve", "int64_t", "0",
           "Bytes of the budget for workspaces and fragmentation.">,
    Option<"machine", "machine", "std::string", "\"\"",
           "Machine file or name; default: this machine.">
  ];
  let dependentDialects = ["::nlp::NLPDialect"];
}

#endif // NLP_PLANNER_PASSES
