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
    ListOption<"stageLayers", "stage-layers", "int64_t",
               "Blocks of each pipeline stage.">
  ];
  let dependentDialects = ["::nlp::NLPDialect"];
}

#endif // NLP_PLANNER_PASSES
