// RUN: nlp-opt %s -split-input-file -nlp-apply-schedule | FileCheck %s

// The input and the parameter are read again, %h crosses in a slot. %n,
// which nothing needs, goes.

// CHECK-LABEL: nlp.step @gpipe
// CHECK-NOT:     plan =
// CHECK-SAME:    schedule = [#nlp.run<@forward, 0>, #nlp.run<@forward, 1>, #nlp.run<@backward, 0>, #nlp.run<@backward, 1>, #nlp.run<@update, 0>]
// CHECK-NEXT:    nlp.slot @out : tensor<9x4xf32> {accumulate}
// CHECK-NEXT:    nlp.slot @saved.0 : tensor<2x5x4xf32>
// CHECK-NEXT:    nlp.segment @forward kind forward {
// CHECK:           %[[H:.*]] = nlp.embedding
// CHECK-NEXT:      nlp.slot_store @saved.0, %[[H]]
// CHECK-NEXT:      nlp.slot_accumulate @out, %{{.*}}
// CHECK-NEXT:    }
// CHECK-NEXT:    nlp.segment @backward kind backward {
// CHECK-NEXT:      %[[H2:.*]] = nlp.slot_load @saved.0
// CHECK-NEXT:      %[[E:.*]] = nlp.exp %[[H2]]
// CHECK-NEXT:      %[[IDS:.*]] = nlp.input tokens
// CHECK-NEXT:      %[[G:.*]] = nlp.embedding_grad %[[E]], %[[IDS]] rows 9
// CHECK-NEXT:      nlp.slot_accumulate @out, %[[G]]
#gpipe = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                   sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                   schedule = <gpipe>, numerics = exact, budget = 0>
nlp.parameter @w : tensor<9x4xf32> init ones
nlp.step @gpipe attributes {plan = #gpipe, schedule = [
    #nlp.run<@forward_backward, 0>, #nlp.run<@forward_backward, 1>,
    #nlp.run<@update, 0>]} {
  nlp.slot @out : tensor<9x4xf32> {accumulate}
  nlp.segment @forward_backward kind forward_backward {
    %ids = nlp.input tokens : tensor<2x5xi32>
    %w = nlp.read @w : tensor<9x4xf32>
    %h = nlp.embedding %w, %ids : tensor<9x4xf32>, tensor<2x5xi32>
    %n = nlp.neg %h : tensor<2x5x4xf32>
    nlp.slot_accumulate @out, %w : tensor<9x4xf32>
    nlp.turn
    %e = nlp.exp %h : tensor<2x5x4xf32>
    %g = nlp.embedding_grad %e, %ids rows 9
        : tensor<2x5x4xf32>, tensor<2x5xi32>
    nlp.slot_accumulate @out, %g : tensor<9x4xf32>
  }
  nlp.segment @update kind update {
  }
}

// -----

// With one stage, 1F1B is F0 B0 F1 B1: nothing to do but to erase. The budget
// stays for the memory planner.

// CHECK-LABEL: nlp.step @one_f_one_b
// CHECK-SAME:    schedule = <none>{{.*}}budget = 1024
// CHECK:         nlp.segment @forward_backward
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <one_f_one_b>, numerics = exact, budget = 1024>
nlp.step @one_f_one_b attributes {plan = #plan, schedule = [
    #nlp.run<@forward_backward, 0>, #nlp.run<@forward_backward, 1>]} {
  nlp.segment @forward_backward kind forward_backward {
    %ids = nlp.input tokens : tensor<2x5xi32>
    nlp.turn
  }
}
