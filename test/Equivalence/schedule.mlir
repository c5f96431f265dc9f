// Another order of independent ops, reads and slots computes the same.
// RUN: nlp-opt %s -nlp-schedule -o %t.mlir
// RUN: nlp-interpret %t.mlir --compare=%s --steps=2
// RUN: FileCheck %s < %t.mlir

// CHECK:      nlp.segment @forward kind forward {
// CHECK-NEXT:   nlp.read @b
// CHECK-NEXT:   nlp.input
// CHECK-NEXT:   nlp.read @a

nlp.parameter @a : tensor<3x3xf32> init normal scale 1.0
nlp.parameter @b : tensor<3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward attributes {order = #nlp.order<
      ops = [1, 2, 0, 4, 3, 5, 6, 7, 8], instances = [0, 0, 0, 0, 0, 0, 0, 0, 0]>} {
    %a = nlp.read @a : tensor<3x3xf32>
    %b = nlp.read @b : tensor<3xf32>
    %targets = nlp.input targets : tensor<1x3xi32>
    %exp = nlp.exp %a : tensor<3x3xf32>
    %rows = nlp.broadcast %b : tensor<3xf32> -> tensor<3x3xf32>
    %sum = nlp.sub %exp, %rows : tensor<3x3xf32>
    %logits = nlp.reshape %sum : tensor<3x3xf32> -> tensor<1x3x3xf32>
    %loss, %lse = nlp.cross_entropy %logits, %targets normalizer 3.0
        : tensor<1x3x3xf32>, tensor<1x3xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}
