// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: func.func @movement
// CHECK-SAME:    (%[[X:.*]]: tensor<2x6xf32>, %[[I:.*]]: tensor<2x6xi32>)
func.func @movement(%x: tensor<2x6xf32>, %i: tensor<2x6xi32>) {
  // CHECK: nlp.reshape %[[X]] : tensor<2x6xf32> -> tensor<2x2x3xf32>
  %0 = nlp.reshape %x : tensor<2x6xf32> -> tensor<2x2x3xf32>
  // CHECK: nlp.reshape %[[I]] : tensor<2x6xi32> -> tensor<12xi32>
  %1 = nlp.reshape %i : tensor<2x6xi32> -> tensor<12xi32>
  // CHECK: %[[T:.*]] = nlp.transpose %[[X]] [1, 0] : tensor<2x6xf32>
  %2 = nlp.transpose %x [1, 0] : tensor<2x6xf32>
  // CHECK: %[[PARTS:.*]]:2 = nlp.split %[[X]] dim 1 [4, 2] : tensor<2x6xf32>
  %3:2 = nlp.split %x dim 1 [4, 2] : tensor<2x6xf32>
  // CHECK: nlp.concat %[[PARTS]]#1, %[[PARTS]]#0 dim 1 : tensor<2x2xf32>, tensor<2x4xf32>
  %4 = nlp.concat %3#1, %3#0 dim 1 : tensor<2x2xf32>, tensor<2x4xf32>
  // CHECK: nlp.slice %[[T]] dim 0 from 5 size 1 : tensor<6x2xf32>
  %5 = nlp.slice %2 dim 0 from 5 size 1 : tensor<6x2xf32>
  // CHECK: nlp.pad %[[X]] dim 1 by 0, 3 : tensor<2x6xf32>
  %6 = nlp.pad %x dim 1 by 0, 3 : tensor<2x6xf32>
  // [2, 0 + 6 + 3]
  %7 = nlp.neg %6 : tensor<2x9xf32>
  %ids = nlp.input targets : tensor<2x4xi32>
  // CHECK: nlp.slice %{{.*}} dim 0 from 1 size 1 : tensor<2x4xi32>
  %8 = nlp.slice %ids dim 0 from 1 size 1 : tensor<2x4xi32>
  return
}

// CHECK-LABEL: func.func @sums
// CHECK-SAME:    (%[[X:.*]]: tensor<6xf32>)
func.func @sums(%x: tensor<6xf32>) -> tensor<f32> {
  // CHECK: %[[B:.*]] = nlp.broadcast %[[X]] : tensor<6xf32> -> tensor<2x4x6xf32>
  %0 = nlp.broadcast %x : tensor<6xf32> -> tensor<2x4x6xf32>
  // CHECK: nlp.reduce_sum %[[B]] leading 2 : tensor<2x4x6xf32>
  %1 = nlp.reduce_sum %0 leading 2 : tensor<2x4x6xf32>
  %2 = nlp.add %1, %x : tensor<6xf32>
  // CHECK: nlp.reduce_sum %{{.*}} leading 1 : tensor<6xf32>
  %3 = nlp.reduce_sum %2 leading 1 : tensor<6xf32>
  return %3 : tensor<f32>
}

// CHECK-LABEL: func.func @fill_and_cast
func.func @fill_and_cast() {
  // CHECK: %[[X:.*]] = nlp.fill 1.500000e+00 : tensor<2x3xf32>
  %0 = nlp.fill 1.5 : tensor<2x3xf32>
  // CHECK: nlp.cast %[[X]] : tensor<2x3xf32> -> tensor<2x3xbf16>
  %1 = nlp.cast %0 : tensor<2x3xf32> -> tensor<2x3xbf16>
  return
}
