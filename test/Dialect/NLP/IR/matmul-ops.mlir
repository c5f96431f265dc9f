// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK-SAME:    (%[[X:.*]]: tensor<4x8x6xf32>, %[[W:.*]]: tensor<6x10xf32>, %[[B:.*]]: tensor<10xf32>)
func.func @linear(%x: tensor<4x8x6xf32>, %w: tensor<6x10xf32>,
                  %b: tensor<10xf32>) -> tensor<6x10xf32> {
  // CHECK: %[[Y:.*]] = nlp.linear %[[X]], %[[W]] bias %[[B]] layout in_out : tensor<4x8x6xf32>, tensor<6x10xf32>, tensor<10xf32>
  %y = nlp.linear %x, %w bias %b layout in_out
      : tensor<4x8x6xf32>, tensor<6x10xf32>, tensor<10xf32>
  // The other layout takes the result back: [..., 10] times [6, 10]^T.
  // CHECK: nlp.linear %[[Y]], %[[W]] layout out_in : tensor<4x8x10xf32>, tensor<6x10xf32>
  %dx = nlp.linear %y, %w layout out_in : tensor<4x8x10xf32>, tensor<6x10xf32>
  // CHECK: %[[DW:.*]] = nlp.linear_weight_grad %[[X]], %[[Y]] layout in_out : tensor<4x8x6xf32>, tensor<4x8x10xf32>
  %dw = nlp.linear_weight_grad %x, %y layout in_out
      : tensor<4x8x6xf32>, tensor<4x8x10xf32>
  // CHECK: nlp.linear_weight_grad %[[X]], %[[Y]] layout out_in
  %dwt = nlp.linear_weight_grad %x, %y layout out_in
      : tensor<4x8x6xf32>, tensor<4x8x10xf32>
  // CHECK: nlp.reshape %{{.*}} : tensor<10x6xf32> -> tensor<60xf32>
  %flat = nlp.reshape %dwt : tensor<10x6xf32> -> tensor<60xf32>
  return %dw : tensor<6x10xf32>
}

// CHECK-LABEL: func.func @vector
// CHECK:         nlp.linear %{{.*}} : tensor<6xbf16>, tensor<10x6xbf16>
func.func @vector(%x: tensor<6xbf16>, %w: tensor<10x6xbf16>) -> tensor<10xbf16> {
  %y = nlp.linear %x, %w layout out_in : tensor<6xbf16>, tensor<10x6xbf16>
  return %y : tensor<10xbf16>
}

// CHECK-LABEL: func.func @embedding
// CHECK-SAME:    (%[[T:.*]]: tensor<10x6xf32>, %[[I:.*]]: tensor<2x3xi32>)
// CHECK:         %[[Y:.*]] = nlp.embedding %[[T]], %[[I]] : tensor<10x6xf32>, tensor<2x3xi32>
// CHECK:         nlp.embedding_grad %[[Y]], %[[I]] rows 10 : tensor<2x3x6xf32>, tensor<2x3xi32>
func.func @embedding(%t: tensor<10x6xf32>, %i: tensor<2x3xi32>)
    -> tensor<10x6xf32> {
  %y = nlp.embedding %t, %i : tensor<10x6xf32>, tensor<2x3xi32>
  %dt = nlp.embedding_grad %y, %i rows 10 : tensor<2x3x6xf32>, tensor<2x3xi32>
  return %dt : tensor<10x6xf32>
}
