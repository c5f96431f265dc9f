// Runs that differ are told apart, down to the last bit.
// RUN: nlp-interpret %s --compare=%s
// RUN: sed 's/by 2.0/by 2.0000001/' %s > %t.mlir
// RUN: not nlp-interpret %s --compare=%t.mlir | FileCheck %s
// RUN: nlp-interpret %s --compare=%t.mlir --rtol=1e-6
// RUN: sed 's/@x/@z/' %s > %t.mlir
// RUN: not nlp-interpret %s --compare=%t.mlir --rtol=1 \
// RUN:   | FileCheck %s --check-prefix=NAMES

// CHECK: difference: loss of step 1
// CHECK: largest relative difference {{[4-6]}}.{{[0-9]}}e-08 (loss of step 1)
// NAMES: difference: parameter z: expected a tensor of the same shape in both runs

nlp.parameter @x : tensor<2xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x = nlp.read @x : tensor<2xf32>
    %sum = nlp.reduce_sum %x leading 1 : tensor<2xf32>
    %loss = nlp.scale %sum by 2.0 : tensor<f32>
    nlp.report loss, %loss : tensor<f32>
  }
}
