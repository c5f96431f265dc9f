// RUN: split-file %s %t

// RUN: not nlp-opt %t/step.mlir -nlp-plan=schedule=random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: expected a schedule gpipe, 1f1b, interleaved:V, zb-h1 or zb-h2, but got 'random'
// RUN: not nlp-opt %t/step.mlir -nlp-plan=schedule=interleaved:two 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHUNKS
// CHUNKS: but got 'interleaved:two'
// RUN: not nlp-opt %t/step.mlir -nlp-plan=schedule=gpipe:2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GPIPE
// GPIPE: expected one chunk per stage except for an interleaved schedule, but got 2
// RUN: not nlp-opt %t/step.mlir -nlp-plan="schedule=interleaved:0 pp=2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-CHUNKS
// NO-CHUNKS: expected one chunk per stage except for an interleaved schedule, but got 0
// RUN: not nlp-opt %t/step.mlir -nlp-plan=schedule=zb-h1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STAGES
// STAGES: schedule zb_h1 needs a pipeline of 2 stages or more

// RUN: not nlp-opt %t/step.mlir -nlp-plan=numerics=wild 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMERICS
// NUMERICS: expected numerics exact, mixed or aggressive, but got 'wild'

// RUN: not nlp-opt %t/step.mlir -nlp-plan=tp=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MESH
// MESH: expected mesh axes of size 1 or more
// RUN: not nlp-opt %t/step.mlir -nlp-plan="tp=65536 pp=65536" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANKS
// RANKS: expected a mesh of fewer than 2^31 ranks

// RUN: not nlp-opt %t/step.mlir -nlp-plan=micro-batch=3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MICRO-BATCH
// MICRO-BATCH: expected a micro-batch that divides the global batch of 8 sequences on 1 data-parallel ranks, but got 3
// RUN: not nlp-opt %t/step.mlir -nlp-plan=micro-batch=-2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: but got -2
// Four ranks of 2^62 sequences: their product is 2^64, which int64 takes for 0.
// RUN: not nlp-opt %t/step.mlir \
// RUN:     -nlp-plan="dp=4 micro-batch=4611686018427387904" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: on 4 data-parallel ranks, but got 4611686018427387904
// More ranks than sequences.
// RUN: not nlp-opt %t/step.mlir -nlp-plan=dp=16 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DP
// DP: expected a micro-batch that divides the global batch of 8 sequences on 16 data-parallel ranks, but got 1

// RUN: not nlp-opt %t/step.mlir -nlp-plan=zero=4 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ZERO
// ZERO: expected a ZeRO stage of 0 to 3, but got 4
// RUN: not nlp-opt %t/step.mlir -nlp-plan=loss-chunks=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOSS-CHUNKS
// LOSS-CHUNKS: expected micro_batch and loss_chunks of 1 or more
// RUN: not nlp-opt %t/step.mlir -nlp-plan=memory-budget=-1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BUDGET
// BUDGET: expected a budget of 0 or more, but got -1
// RUN: not nlp-opt %t/step.mlir -nlp-plan=stage-layers=1,2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAYERS
// LAYERS: expected 1 stage_layers of 0 or more, but got 2

// RUN: not nlp-opt %t/none.mlir -nlp-plan 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-STEP
// RUN: not nlp-opt %t/model.mlir -nlp-plan 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-STEP
// NO-STEP: expected one nlp.step with a model attribute

//--- step.mlir
nlp.step @step attributes {model = #nlp.model<name = "m", global_batch = 8,
                                              seq_len = 4, vocab_size = 9>} {
}

//--- none.mlir
module {
}

//--- model.mlir
nlp.step @step {
}
