// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: func.func @cross_entropy
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3x10xbf16>, %[[T:.*]]: tensor<2x3xi32>)
// CHECK:         %[[LOSS:.*]], %[[LSE:.*]] = nlp.cross_entropy %[[X]], %[[T]] normalizer 6.000000e+00 : tensor<2x3x10xbf16>, tensor<2x3xi32>
// CHECK:         nlp.cross_entropy_grad %[[LOSS]], %[[X]], %[[T]], %[[LSE]] normalizer 6.000000e+00 : tensor<2x3x10xbf16>, tensor<2x3xi32>, tensor<2x3xf32>
func.func @cross_entropy(%x: tensor<2x3x10xbf16>, %t: tensor<2x3xi32>)
    -> (tensor<f32>, tensor<2x3xf32>, tensor<2x3x10xbf16>) {
  %loss, %lse = nlp.cross_entropy %x, %t normalizer 6.0
      : tensor<2x3x10xbf16>, tensor<2x3xi32>
  %dx = nlp.cross_entropy_grad %loss, %x, %t, %lse normalizer 6.0
      : tensor<2x3x10xbf16>, tensor<2x3xi32>, tensor<2x3xf32>
  return %loss, %lse, %dx
      : tensor<f32>, tensor<2x3xf32>, tensor<2x3x10xbf16>
}
