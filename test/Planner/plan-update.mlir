// RUN: nlp-opt %s -nlp-autodiff -nlp-add-optimizer=clip=false -o %t.joint
// RUN: nlp-opt %t.joint -nlp-plan | FileCheck %s --check-prefix=BACKWARD
// RUN: nlp-opt %t.joint -nlp-plan="micro-batch=4 loss-chunks=2" \
// RUN:   | FileCheck %s --check-prefix=BACKWARD
// RUN: nlp-opt %t.joint -nlp-plan=update-in-backward=false \
// RUN:   | FileCheck %s --check-prefix=BEHIND
// RUN: nlp-opt %t.joint -nlp-plan=micro-batch=2 \
// RUN:   | FileCheck %s --check-prefix=BEHIND
// RUN: nlp-opt %t.joint -nlp-plan=dp=2 | FileCheck %s --check-prefix=BEHIND
// RUN: nlp-opt %s -nlp-autodiff -nlp-add-optimizer -nlp-plan \
// RUN:   | FileCheck %s --check-prefix=BEHIND

// The whole batch at once, on one device, without clipping: parameters may be
// updated in the backward pass. With two micro-batches gradients are sums, with
// two devices nobody knows yet when they are complete, and a global norm needs
// all of them.
// BACKWARD: nlp.step @step
// BACKWARD-SAME: update_in_backward = true
// BEHIND: nlp.step @step
// BEHIND-NOT: update_in_backward
nlp.parameter @w : tensor<8x8xf32> init normal scale 0.02 {decay}
nlp.parameter @b : tensor<8xf32> init ones
nlp.step @step attributes {model = #nlp.model<
    name = "m", global_batch = 4, seq_len = 2, vocab_size = 8>} {
  nlp.segment @forward kind forward {
    %tokens = nlp.input tokens : tensor<4x2xi32>
    %targets = nlp.input targets : tensor<4x2xi32>
    %w = nlp.read @w : tensor<8x8xf32>
    %b = nlp.read @b : tensor<8xf32>
    %x = nlp.embedding %w, %tokens : tensor<8x8xf32>, tensor<4x2xi32>
    %logits = nlp.linear %x, %w bias %b layout out_in
        : tensor<4x2x8xf32>, tensor<8x8xf32>, tensor<8xf32>
    %loss, %lse = nlp.cross_entropy %logits, %targets normalizer 8.0
        : tensor<4x2x8xf32>, tensor<4x2xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}
