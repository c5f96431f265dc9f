// RUN: nlp-opt %s -nlp-autodiff -nlp-add-optimizer -nlp-apply-micro-batch \
// RUN:   | FileCheck %s
// RUN: nlp-opt %s -nlp-autodiff -nlp-add-optimizer -nlp-apply-micro-batch \
// RUN:   -nlp-verify-phase=phase=applied -o /dev/null

// 6 sequences in micro-batches of 2: three rounds. The plan has nothing left.

// CHECK-LABEL: nlp.step @step attributes
// CHECK-NOT:     plan =
// CHECK-SAME:    schedule = [#nlp.run<@forward_backward, 0>, #nlp.run<@forward_backward, 1>, #nlp.run<@forward_backward, 2>, #nlp.run<@update, 0>]
// CHECK:         nlp.slot @grad.wte : tensor<10x8xf32>

// The reshape merges batch and position: 6 * 5 = 30 becomes 2 * 5 = 10. The
// positions have no batch; only their broadcast is narrowed, from its user.
// CHECK:         nlp.segment @forward_backward
// CHECK-NEXT:      nlp.input tokens : tensor<2x5xi32>
// CHECK-NEXT:      nlp.input targets : tensor<2x5xi32>
// CHECK:           nlp.read @wpe : tensor<5x8xf32>
// CHECK:           nlp.broadcast %{{.*}} : tensor<5x8xf32> -> tensor<2x5x8xf32>
// CHECK:           nlp.reshape %{{.*}} : tensor<2x5x8xf32> -> tensor<10x8xf32>
// CHECK:           nlp.layer_norm %{{.*}} : tensor<10x8xf32>, tensor<8xf32>
// CHECK:           nlp.split %{{.*}} dim 1 [3, 5] : tensor<10x8xf32>
// CHECK:           nlp.reshape %{{.*}} : tensor<10x3xf32> -> tensor<2x5x3xf32>
// CHECK:           nlp.cross_entropy %{{.*}} normalizer 3.000000e+01 : tensor<2x5x3xf32>, tensor<2x5xi32>
// CHECK:           nlp.turn

// A gradient of zeros is made with the narrow shape.
// CHECK:           nlp.fill 0.000000e+00 : tensor<10x5xf32>
// CHECK:           nlp.reduce_sum %{{.*}} leading 1 : tensor<2x5x8xf32>
// CHECK:           nlp.embedding_grad %{{.*}} rows 10 : tensor<2x5x8xf32>, tensor<2x5xi32>

// CHECK:         nlp.segment @evaluate
// CHECK-NEXT:      nlp.input tokens : tensor<2x5xi32>
nlp.parameter @wte : tensor<10x8xf32> init normal scale 0.02
nlp.parameter @wpe : tensor<5x8xf32> init normal scale 0.02
nlp.parameter @g : tensor<8xf32> init ones
nlp.step @step attributes {
    model = #nlp.model<name = "test", global_batch = 6, seq_len = 5, vocab_size = 3>,
    plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                     sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                     schedule = <none>, numerics = exact, budget = 0>} {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<6x5xi32>
    %targets = nlp.input targets : tensor<6x5xi32>
    %seed = nlp.runtime_scalar step_seed : tensor<i64>
    %first = nlp.runtime_scalar first_sequence : tensor<i64>
    %wte = nlp.read @wte : tensor<10x8xf32>
    %wpe = nlp.read @wpe : tensor<5x8xf32>
    %g = nlp.read @g : tensor<8xf32>
    %x = nlp.embedding %wte, %ids : tensor<10x8xf32>, tensor<6x5xi32>
    %p = nlp.broadcast %wpe : tensor<5x8xf32> -> tensor<6x5x8xf32>
    %s = nlp.add %x, %p : tensor<6x5x8xf32>
    %d = nlp.dropout %s, %seed, %first rate 0.1 site "embd" : tensor<6x5x8xf32>
    %r = nlp.reshape %d : tensor<6x5x8xf32> -> tensor<30x8xf32>
    %n, %mean, %rstd = nlp.layer_norm %r, %g, %g eps 1.0e-5
        : tensor<30x8xf32>, tensor<8xf32>
    %a, %unused = nlp.split %n dim 1 [3, 5] : tensor<30x8xf32>
    %logits = nlp.reshape %a : tensor<30x3xf32> -> tensor<6x5x3xf32>
    %loss, %lse = nlp.cross_entropy %logits, %targets normalizer 30.0
        : tensor<6x5x3xf32>, tensor<6x5xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}
