// RUN: nlp-opt %s -nlp-plan | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: nlp-opt %s -nlp-plan="micro-batch=2 zero=0 numerics=mixed \
// RUN:     memory-budget=1048576 loss-chunks=4" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,FIXED
// RUN: nlp-opt %s -nlp-plan="dp=4 tp=2 pp=2 cp=3 ep=5 zero=3 \
// RUN:     sequence-parallel=true schedule=interleaved:2 numerics=aggressive \
// RUN:     stage-layers=1,2,3,4" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,MESH
// RUN: nlp-opt %s -nlp-plan=schedule=gpipe | FileCheck %s --check-prefix=GPIPE
// RUN: nlp-opt %s -nlp-plan=schedule=1f1b | FileCheck %s --check-prefix=1F1B
// RUN: nlp-opt %s -nlp-plan="schedule=zb-h1 pp=2" \
// RUN:   | FileCheck %s --check-prefix=ZB-H1
// RUN: nlp-opt %s -nlp-plan="schedule=zb-h2 pp=2" \
// RUN:   | FileCheck %s --check-prefix=ZB-H2
// RUN: nlp-opt %s -nlp-plan -nlp-plan=dp=8 \
// RUN:   | FileCheck %s --check-prefix=AGAIN

// The plan is all that changes. What no option fixes is the plan that changes
// nothing: the whole batch of 8 sequences as one micro-batch.
// CHECK:        nlp.parameter @w : tensor<3xf32> init ones
// CHECK-NEXT:   nlp.step @step attributes {model = #nlp.model<name = "m", global_batch = 8, seq_len = 4, vocab_size = 9>,
// DEFAULT-SAME:   plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0, sequence_parallel = false, micro_batch = 8, loss_chunks = 1, schedule = <none>, numerics = exact, budget = 0>}
// FIXED-SAME:     plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0, sequence_parallel = false, micro_batch = 2, loss_chunks = 4, schedule = <none>, numerics = mixed, budget = 1048576>}
// Of 8 sequences on 4 data-parallel ranks each has 2.
// MESH-SAME:      plan = #nlp.plan<mesh = <dp = 4, tp = 2, pp = 2, cp = 3, ep = 5>, zero = 3, sequence_parallel = true, micro_batch = 2, loss_chunks = 1, schedule = <interleaved, chunks = 2>, numerics = aggressive, budget = 0, stage_layers = 1, 2, 3, 4>}
// CHECK-NEXT:     nlp.segment @forward kind forward {
// CHECK-NEXT:       nlp.read @w
// CHECK-NEXT:     }
// CHECK-NEXT:   }

// GPIPE: schedule = <gpipe>
// 1F1B: schedule = <one_f_one_b>
// ZB-H1: schedule = <zb_h1>
// ZB-H2: schedule = <zb_h2>
// A plan replaces the one before.
// AGAIN: plan = #nlp.plan<mesh = <dp = 8,{{.*}} micro_batch = 1,
nlp.parameter @w : tensor<3xf32> init ones
nlp.step @step attributes {model = #nlp.model<name = "m", global_batch = 8,
                                              seq_len = 4, vocab_size = 9>} {
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<3xf32>
  }
}
