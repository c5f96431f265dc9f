// RUN: nlp-opt %s -split-input-file -nlp-autodiff | FileCheck %s
// RUN: nlp-opt %s -split-input-file -nlp-autodiff -mlir-print-debuginfo \
// RUN:   -mlir-print-local-scope | FileCheck %s --check-prefix=PLACE

// A table read twice (lookup and head), dropout, a frozen weight. The table's
// two gradients go to one slot, the head's first, each right where it is made;
// the frozen weight has no slot and no gradient.

// CHECK-LABEL: nlp.step @tied
// CHECK-NEXT:    nlp.slot @loss : tensor<f32> {accumulate}
// CHECK-NEXT:    nlp.slot @grad.wte : tensor<10x6xf32> {accumulate, parameter = @wte}
// CHECK-NEXT:    nlp.slot @grad.b : tensor<6xf32> {accumulate, parameter = @b}
// CHECK-NEXT:    nlp.segment @forward_backward kind forward_backward
// CHECK:           %[[WTE:.*]] = nlp.read @wte
// CHECK:           %[[W:.*]] = nlp.read @frozen
// CHECK:           %[[D:.*]] = nlp.dropout %{{.*}}, %[[SEED:.*]], %[[FIRST:.*]] rate
// CHECK:           %[[H:.*]] = nlp.linear %[[D]], %[[W]] bias
// CHECK:           %[[A:.*]] = nlp.gelu tanh %[[H]]
// CHECK:           %[[R:.*]] = nlp.add %[[A]], %[[D]]
// CHECK:           %[[LOGITS:.*]] = nlp.linear %[[R]], %[[WTE]]
// CHECK:           %[[LOSS:.*]], %[[LSE:.*]] = nlp.cross_entropy
// CHECK-NEXT:      nlp.slot_accumulate @loss, %[[LOSS]]
// CHECK-NEXT:      nlp.turn
// CHECK-NEXT:      %[[ONE:.*]] = nlp.fill 1.0
// CHECK-NEXT:      %[[DLOGITS:.*]] = nlp.cross_entropy_grad %[[ONE]], %[[LOGITS]], %{{.*}}, %[[LSE]]
// CHECK-NEXT:      %[[DHEAD:.*]] = nlp.linear_weight_grad %[[R]], %[[DLOGITS]] layout out_in
// CHECK-NEXT:      nlp.slot_accumulate @grad.wte, %[[DHEAD]]
// CHECK-NEXT:      %[[DR:.*]] = nlp.linear %[[DLOGITS]], %[[WTE]] layout in_out
// CHECK-NEXT:      %[[DH:.*]] = nlp.gelu_grad tanh %[[H]], %[[DR]]
// CHECK-NEXT:      %[[DB:.*]] = nlp.reduce_sum %[[DH]] leading 2
// CHECK-NEXT:      nlp.slot_accumulate @grad.b, %[[DB]]
// CHECK-NEXT:      %[[DX:.*]] = nlp.linear %[[DH]], %[[W]] layout in_out
// CHECK-NEXT:      %[[DD:.*]] = nlp.add %[[DR]], %[[DX]]
// CHECK-NEXT:      %[[DE:.*]] = nlp.dropout %[[DD]], %[[SEED]], %[[FIRST]] rate 1.000000e-01 site "embd"
// CHECK-NEXT:      %[[DWTE:.*]] = nlp.embedding_grad %[[DE]], %{{.*}} rows 10
// CHECK-NEXT:      nlp.slot_accumulate @grad.wte, %[[DWTE]]
// CHECK-NEXT:    }
// CHECK-NEXT:    nlp.segment @update kind update {
// CHECK-NEXT:      %[[TOTAL:.*]] = nlp.slot_load @loss
// CHECK-NEXT:      nlp.report loss, %[[TOTAL]]
// CHECK-NEXT:    }

// Evaluation has no dropout and reads no seed.
// CHECK-NEXT:    nlp.segment @evaluate kind evaluate {
// CHECK-NOT:       nlp.runtime_scalar
// CHECK-NOT:       nlp.dropout
// CHECK:           %[[E:.*]] = nlp.embedding
// CHECK-NEXT:      nlp.linear %[[E]]
// CHECK-NOT:       nlp.slot_accumulate
// CHECK:           nlp.report loss

// PLACE:       nlp.gelu_grad {{.*}} loc("act"
// PLACE-NEXT:  nlp.reduce_sum {{.*}} loc("fc"
nlp.parameter @wte : tensor<10x6xf32> init normal scale 0.02 {decay}
nlp.parameter @b : tensor<6xf32> init zeros
nlp.parameter @frozen : tensor<6x6xf32> init normal scale 0.02 {frozen}
nlp.step @tied {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<4x5xi32>
    %targets = nlp.input targets : tensor<4x5xi32>
    %seed = nlp.runtime_scalar step_seed : tensor<i64>
    %first = nlp.runtime_scalar first_sequence : tensor<i64>
    %wte = nlp.read @wte : tensor<10x6xf32>
    %w = nlp.read @frozen : tensor<6x6xf32>
    %b = nlp.read @b : tensor<6xf32>
    %x = nlp.embedding %wte, %ids : tensor<10x6xf32>, tensor<4x5xi32>
    %d = nlp.dropout %x, %seed, %first rate 0.1 site "embd" : tensor<4x5x6xf32>
    %h = nlp.linear %d, %w bias %b layout out_in
        : tensor<4x5x6xf32>, tensor<6x6xf32>, tensor<6xf32> loc("fc")
    %a = nlp.gelu tanh %h : tensor<4x5x6xf32> loc("act")
    %r = nlp.add %a, %d : tensor<4x5x6xf32>
    %logits = nlp.linear %r, %wte layout out_in
        : tensor<4x5x6xf32>, tensor<10x6xf32>
    %loss, %lse = nlp.cross_entropy %logits, %targets normalizer 20.0
        : tensor<4x5x10xf32>, tensor<4x5xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}

// -----

// Attention's dropout goes in evaluation; a part of a split that nothing
// reads has gradient zero.

// CHECK-LABEL: nlp.step @attention
// CHECK:         nlp.segment @forward_backward
// CHECK:           %[[QKV:.*]]:3 = nlp.split
// CHECK:           %[[O:.*]], %[[LSE:.*]] = nlp.attention causal %[[Q:.*]], %[[K:.*]], %[[K]] seed
// CHECK:           nlp.turn
// CHECK:           %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = nlp.attention_grad causal %{{.*}}, %[[Q]], %[[K]], %[[K]], %[[O]], %[[LSE]] seed
// CHECK-SAME:        dropout = 1.000000e-01
// CHECK-NEXT:      %[[DKV:.*]] = nlp.add %[[DK]], %[[DV]]
// CHECK:           %[[ZERO:.*]] = nlp.fill 0.0
// CHECK-NEXT:      nlp.concat %{{.*}}, %{{.*}}, %[[ZERO]] dim 2
// CHECK:         nlp.segment @evaluate
// CHECK:           nlp.attention causal %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} scale 5.000000e-01 :
nlp.parameter @w : tensor<12x10xf32> init normal scale 0.02
nlp.step @attention {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<2x3xi32>
    %targets = nlp.input targets : tensor<2x3xi32>
    %seed = nlp.runtime_scalar step_seed : tensor<i64>
    %first = nlp.runtime_scalar first_sequence : tensor<i64>
    %w = nlp.read @w : tensor<12x10xf32>
    %t = nlp.transpose %w [1, 0] : tensor<12x10xf32>
    %x = nlp.embedding %t, %ids : tensor<10x12xf32>, tensor<2x3xi32>
    %q, %k, %unused = nlp.split %x dim 2 [4, 4, 4] : tensor<2x3x12xf32>
    %q4 = nlp.reshape %q : tensor<2x3x4xf32> -> tensor<2x3x1x4xf32>
    %k4 = nlp.reshape %k : tensor<2x3x4xf32> -> tensor<2x3x1x4xf32>
    %o, %lse = nlp.attention causal %q4, %k4, %k4 seed %seed, %first scale 0.5
        {dropout = 0.1, site = "attn"}
        : tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>
    %logits = nlp.reshape %o : tensor<2x3x1x4xf32> -> tensor<2x3x4xf32>
    %loss, %lse2 = nlp.cross_entropy %logits, %targets normalizer 6.0
        : tensor<2x3x4xf32>, tensor<2x3xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}
