// A head with a bias and capped logits is the same step in chunks, and its
// gradients are those of the loss. 9 tokens.
//
// DEFINE: %{chunks} = 2
// DEFINE: %{check} = nlp-opt %t.joint -nlp-plan=loss-chunks=%{chunks} \
// DEFINE:   -nlp-apply -o %t.applied \
// DEFINE:   && nlp-interpret %t.applied --compare=%t.joint --steps=2 --rtol=1e-12
//
// RUN: nlp-opt %s -nlp-to-joint=optimizer=sgd -o %t.joint
// RUN: %{check}
// REDEFINE: %{chunks} = 9
// RUN: %{check}
// REDEFINE: %{chunks} = 4
// RUN: %{check}
// RUN: nlp-interpret %t.applied --check-gradients=1e-3,1e-6,4
// RUN: nlp-opt %t.joint -o %t.applied \
// RUN:   -nlp-plan='micro-batch=1 schedule=gpipe loss-chunks=2' -nlp-apply
// RUN: nlp-interpret %t.applied --check-gradients=1e-3,1e-6,4

nlp.parameter @wte : tensor<7x4xf32> init normal scale 0.5 {decay}
nlp.parameter @head : tensor<4x7xf32> init normal scale 0.5 {decay}
nlp.parameter @bias : tensor<7xf32> init normal scale 0.5
nlp.parameter @shift : tensor<7xf32> init normal scale 0.5
nlp.step @train attributes {
    model = #nlp.model<name = "head", global_batch = 3, seq_len = 3, vocab_size = 7>} {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<3x3xi32>
    %targets = nlp.input targets : tensor<3x3xi32>
    %wte = nlp.read @wte : tensor<7x4xf32>
    %w = nlp.read @head : tensor<4x7xf32>
    %b = nlp.read @bias : tensor<7xf32>
    %s = nlp.read @shift : tensor<7xf32>
    %e = nlp.embedding %wte, %ids : tensor<7x4xf32>, tensor<3x3xi32>
    %x = nlp.silu %e : tensor<3x3x4xf32>
    %y = nlp.linear %x, %w bias %b layout in_out
        : tensor<3x3x4xf32>, tensor<4x7xf32>, tensor<7xf32>
    %capped = nlp.tanh %y : tensor<3x3x7xf32>
    %wide = nlp.broadcast %s : tensor<7xf32> -> tensor<3x3x7xf32>
    %shifted = nlp.mul %capped, %wide : tensor<3x3x7xf32>
    %logits = nlp.scale %shifted by 3.0 : tensor<3x3x7xf32>
    %loss, %lse = nlp.cross_entropy %logits, %targets normalizer 9.0
        : tensor<3x3x7xf32>, tensor<3x3xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}
