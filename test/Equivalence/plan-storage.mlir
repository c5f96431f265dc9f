// Twelve ops of which each needs what the one before made, with just enough memory
// for one of them beside its gradient: the planner runs the first of them again and
// again, and the losses and weights keep their bits. Then with a little more.
//
// RUN: nlp-opt %s -nlp-autodiff -nlp-add-optimizer -o %t.joint.mlir
// RUN: not nlp-opt %t.joint.mlir \
// RUN:     -nlp-plan-storage="machine=cpu memory-budget=1" 2>&1 \
// RUN:   | sed -n 's/.*at least \([0-9]*\) bytes.*/\1/p' > %t.least
// RUN: sh -c 'nlp-opt %t.joint.mlir -o %t.planned.mlir \
// RUN:   -nlp-plan-storage="machine=cpu memory-budget=$(cat %t.least)"'
// RUN: FileCheck %s < %t.planned.mlir
// RUN: nlp-opt %t.planned.mlir -nlp-apply-recompute -o %t.after.mlir
// RUN: nlp-interpret %t.after.mlir --compare=%t.joint.mlir --steps=3 --rtol=0
// RUN: sh -c 'nlp-opt %t.joint.mlir -nlp-plan-storage="machine=cpu \
// RUN:   memory-budget=$(($(cat %t.least) * 4 / 3))" -nlp-apply-recompute \
// RUN:   -o %t.after.mlir'
// RUN: nlp-interpret %t.after.mlir --compare=%t.joint.mlir --steps=3 --rtol=0

// An op runs a fourth time and more.
// CHECK: order = #nlp.order<ops = [{{.*}}], instances = [{{.*}} 3{{.*}}]>
nlp.parameter @w : tensor<8x16xf32> init normal scale 1.0
nlp.step @train attributes {model = #nlp.model<name = "nest", global_batch = 1,
                                               seq_len = 8, vocab_size = 16>} {
  nlp.segment @forward kind forward {
    %targets = nlp.input targets : tensor<1x8xi32>
    %v0 = nlp.read @w : tensor<8x16xf32>
    %v1 = nlp.tanh %v0 : tensor<8x16xf32>
    %v2 = nlp.sigmoid %v1 : tensor<8x16xf32>
    %v3 = nlp.silu %v2 : tensor<8x16xf32>
    %v4 = nlp.gelu tanh %v3 : tensor<8x16xf32>
    %v5 = nlp.tanh %v4 : tensor<8x16xf32>
    %v6 = nlp.sigmoid %v5 : tensor<8x16xf32>
    %v7 = nlp.silu %v6 : tensor<8x16xf32>
    %v8 = nlp.gelu tanh %v7 : tensor<8x16xf32>
    %v9 = nlp.tanh %v8 : tensor<8x16xf32>
    %v10 = nlp.sigmoid %v9 : tensor<8x16xf32>
    %v11 = nlp.silu %v10 : tensor<8x16xf32>
    %v12 = nlp.gelu tanh %v11 : tensor<8x16xf32>
    %logits = nlp.reshape %v12 : tensor<8x16xf32> -> tensor<1x8x16xf32>
    %loss, %lse = nlp.cross_entropy %logits, %targets normalizer 8.0
        : tensor<1x8x16xf32>, tensor<1x8xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}
