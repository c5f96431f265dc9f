//===- NLPPlanAttrs.td - The plan, as attributes ----------*- tablegen -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The planner writes these and nothing else; apply passes carry them out and
// erase what they carried out. A pass of your own may write them instead.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_DIALECT_NLP_IR_NLPPLANATTRS
#define NLP_DIALECT_NLP_IR_NLPPLANATTRS

include "nlp/Dialect/NLP/IR/NLPEnums.td"

class NLP_Attr<string name, string attrMnemonic> : AttrDef<NLP_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def NLP_MeshAttr : NLP_Attr<"Mesh", "mesh"> {
  let summary = "Devices arranged along named axes.";
  let description = [{
    Sizes of the axes data (`dp`), tensor (`tp`), pipeline (`pp`), context
    (`cp`) and expert (`ep`) parallelism. The number of ranks is their product.

    Constraints:
    - (C1) every size is 1 or more.
    - (C2) the number of ranks is no more than 2^31 - 1.

    Example: `#nlp.mesh<dp = 2, tp = 4, pp = 1, cp = 1, ep = 1>`
  }];
  let parameters = (ins "int64_t":$dp, "int64_t":$tp, "int64_t":$pp,
                        "int64_t":$cp, "int64_t":$ep);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def NLP_DimShardingAttr : NLP_Attr<"DimSharding", "dim"> {
  let summary = "Mesh axes that one dimension is split over, major to minor.";
  let description = [{
    Constraints:
    - (C1) axes are among `dp`, `tp`, `pp`, `cp`, `ep`, each at most once.
  }];
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$axes);
  let assemblyFormat = "`<` (`[` $axes^ `]`)? `>`";
  let genVerifyDecl = 1;
}

def NLP_ShardingAttr : NLP_Attr<"Sharding", "sharding"> {
  let summary = "How a value is split over the mesh, dimension by dimension.";
  let description = [{
    One entry for each dimension, and the axes over which the value is a partial
    sum. An axis that is named nowhere holds copies.

    Constraints:
    - (C1) no axis is named twice.

    Example: `#nlp.sharding<dims = [#nlp.dim<["dp"]>, #nlp.dim<>]>`
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::nlp::DimShardingAttr">:$dims,
    OptionalArrayRefParameter<"::mlir::StringAttr">:$partial);
  let assemblyFormat = [{
    `<` `dims` `=` `[` (`]`) : ($dims^ `]`)?
        (`,` `partial` `=` `[` $partial^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

def NLP_ScheduleAttr : NLP_Attr<"Schedule", "schedule"> {
  let summary = "Order of the micro-batches in a pipeline.";
  let description = [{
    Constraints:
    - (C1) `chunks` is between 1 and 2^31 - 1, and more than 1 only for
      `interleaved`.
  }];
  let parameters = (ins EnumParameter<NLP_ScheduleKind>:$kind,
                        DefaultValuedParameter<"int64_t", "1">:$chunks);
  let assemblyFormat = "`<` $kind (`,` `chunks` `=` $chunks^)? `>`";
  let genVerifyDecl = 1;
}

def NLP_PlanAttr : NLP_Attr<"Plan", "plan"> {
  let summary = "The part of the plan that concerns the whole step.";
  let description = [{
    Constraints:
    - (C1) `zero` is 0, 1, 2 or 3.
    - (C2) `micro_batch` and `loss_chunks` are 1 or more.
    - (C3) `stage_layers` is empty or has `pp * chunks` entries of 0 or more.
    - (C4) a pipeline of one stage has no interleaved or zero-bubble schedule.
    - (C5) `budget` is 0 (no limit) or more.

    `micro_batch` counts sequences per device and micro-batch. With
    `update_in_backward` each parameter is updated in the backward pass, as soon
    as its gradient is complete and nothing reads the old value any more: no
    gradient outlives that.

    Example:

    ```mlir
    #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
              sequence_parallel = false, micro_batch = 4, loss_chunks = 1,
              schedule = <none>, numerics = exact, budget = 0>
    ```
  }];
  let parameters = (ins
    "::nlp::MeshAttr":$mesh,
    "int64_t":$zero,
    "bool":$sequence_parallel,
    "int64_t":$micro_batch,
    "int64_t":$loss_chunks,
    "::nlp::ScheduleAttr":$schedule,
    EnumParameter<NLP_Numerics>:$numerics,
    "int64_t":$budget,
    DefaultValuedParameter<"bool", "false">:$update_in_backward,
    OptionalArrayRefParameter<"int64_t">:$stage_layers);
  let assemblyFormat = "`<` struct(params) `>`";
  let hasCustomAssemblyFormat = 0;
  let genVerifyDecl = 1;
}

def NLP_OpPlanAttr : NLP_Attr<"OpPlan", "op_plan"> {
  let summary = "The part of the plan that stands on one op.";
  let description = [{
    `storage` has one entry for each result, or none where all are kept.
    `precision` is the element type that the op runs in; none leaves it.
    `shardings` has one entry for each result, or none where all are whole.
    `stage` is the pipeline stage of the op.

    Constraints (on the op, checked by the verifier of every nlp op):
    - (C1) `storage` is empty or has one entry for each result.
    - (C2) `shardings` is empty or has one entry for each result, each of them
      with one entry for each dimension.
    - (C3) `precision` is f32, bf16, f16 or an 8-bit float.
    - (C4) `recompute` only stands on ops that can be recomputed.
    - (C5) `stage` is 0 or more.

    Example: `#nlp.op_plan<storage = [recompute, keep]>`
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::nlp::StorageKind">:$storage,
    OptionalParameter<"::mlir::Type">:$precision,
    OptionalArrayRefParameter<"::nlp::ShardingAttr">:$shardings,
    DefaultValuedParameter<"int64_t", "0">:$stage);
  let hasCustomAssemblyFormat = 1;
}

def NLP_OrderAttr : NLP_Attr<"Order", "order"> {
  let summary = "A fixed execution order of a segment's ops.";
  let description = [{
    `ops[i]` is the position, in the segment as written, of the op that runs as
    number i; `instances[i]` is 0 for the op itself and k for its k-th
    recomputation.

    Constraints:
    - (C1) both lists have the same length.
    - (C2) no pair occurs twice and no entry is negative.

    Example: `#nlp.order<ops = [0, 1, 2, 1], instances = [0, 0, 0, 1]>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$ops,
                        ArrayRefParameter<"int64_t">:$instances);
  let assemblyFormat = [{
    `<` `ops` `=` `[` $ops `]` `,` `instances` `=` `[` $instances `]` `>`
  }];
  let genVerifyDecl = 1;
}

def NLP_RunAttr : NLP_Attr<"Run", "run"> {
  let summary = "One execution of a segment in the schedule of a step.";
  let description = [{
    Constraints:
    - (C1) `micro_batch` is 0 or more.

    Example: `#nlp.run<@forward, 0>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$segment,
                        "int64_t":$micro_batch);
  let assemblyFormat = "`<` $segment `,` $micro_batch `>`";
  let genVerifyDecl = 1;
}

def NLP_ModelAttr : NLP_Attr<"Model", "model"> {
  let summary = "What was imported: for reports, never for decisions.";
  let description = [{
    The model's name, its task, sizes of the token grid and the vocabulary.

    Constraints:
    - (C1) all sizes are 1 or more.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$global_batch,
                        "int64_t":$seq_len, "int64_t":$vocab_size);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // NLP_DIALECT_NLP_IR_NLPPLANATTRS
