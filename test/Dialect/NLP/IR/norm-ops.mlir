// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME:    (%[[X:.*]]: tensor<2x4x8xbf16>, %[[W:.*]]: tensor<8xf32>)
// CHECK-SAME:    -> (tensor<2x4x8xbf16>, tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK:         %[[Y:.*]], %[[M:.*]], %[[R:.*]] = nlp.layer_norm %[[X]], %[[W]], %[[W]] eps 1.000000e-05 : tensor<2x4x8xbf16>, tensor<8xf32>
// CHECK:         nlp.layer_norm_grad %[[Y]], %[[X]], %[[W]], %[[M]], %[[R]] : tensor<2x4x8xbf16>, tensor<8xf32>, tensor<2x4xf32>
func.func @layer_norm(%x: tensor<2x4x8xbf16>, %w: tensor<8xf32>)
    -> (tensor<2x4x8xbf16>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %y, %m, %r = nlp.layer_norm %x, %w, %w eps 1.0e-5
      : tensor<2x4x8xbf16>, tensor<8xf32>
  %dx, %dw, %db = nlp.layer_norm_grad %y, %x, %w, %m, %r
      : tensor<2x4x8xbf16>, tensor<8xf32>, tensor<2x4xf32>
  return %y, %m, %r : tensor<2x4x8xbf16>, tensor<2x4xf32>, tensor<2x4xf32>
}

// One row: the statistics are scalars.
// CHECK-LABEL: func.func @rms_norm
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>, %[[W:.*]]: tensor<8xf32>)
// CHECK:         %[[Y:.*]], %[[R:.*]] = nlp.rms_norm %[[X]], %[[W]] eps 9.9999999999999995E-7 : tensor<8xf32>, tensor<8xf32>
// CHECK:         nlp.rms_norm_grad %[[Y]], %[[X]], %[[W]], %[[R]] : tensor<8xf32>, tensor<8xf32>, tensor<f32>
func.func @rms_norm(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<f32> {
  %y, %r = nlp.rms_norm %x, %w eps 1.0e-6 : tensor<8xf32>, tensor<8xf32>
  %dx, %dw = nlp.rms_norm_grad %y, %x, %w, %r
      : tensor<8xf32>, tensor<8xf32>, tensor<f32>
  return %r : tensor<f32>
}
