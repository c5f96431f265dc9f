// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<2x3xf32>)
func.func @arithmetic(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // CHECK: nlp.add %[[X]], %[[Y]] : tensor<2x3xf32>
  %0 = nlp.add %x, %y : tensor<2x3xf32>
  // CHECK: nlp.sub %[[X]], %[[Y]] : tensor<2x3xf32>
  %1 = nlp.sub %x, %y : tensor<2x3xf32>
  // CHECK: nlp.mul %[[X]], %[[Y]] : tensor<2x3xf32>
  %2 = nlp.mul %x, %y : tensor<2x3xf32>
  // CHECK: nlp.div %[[X]], %[[Y]] : tensor<2x3xf32>
  %3 = nlp.div %x, %y : tensor<2x3xf32>
  // CHECK: nlp.neg %[[X]] : tensor<2x3xf32>
  %4 = nlp.neg %x : tensor<2x3xf32>
  // CHECK: nlp.scale %[[X]] by -2.500000e-01 : tensor<2x3xf32>
  %5 = nlp.scale %x by -0.25 : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @functions
// CHECK-SAME:    (%[[X:.*]]: tensor<4xbf16>)
func.func @functions(%x: tensor<4xbf16>) {
  // CHECK: nlp.exp %[[X]] : tensor<4xbf16>
  %0 = nlp.exp %x : tensor<4xbf16>
  // CHECK: nlp.log %[[X]] : tensor<4xbf16>
  %1 = nlp.log %x : tensor<4xbf16>
  // CHECK: nlp.sqrt %[[X]] : tensor<4xbf16>
  %2 = nlp.sqrt %x : tensor<4xbf16>
  // CHECK: nlp.tanh %[[X]] : tensor<4xbf16>
  %3 = nlp.tanh %x : tensor<4xbf16>
  // CHECK: nlp.sigmoid %[[X]] : tensor<4xbf16>
  %4 = nlp.sigmoid %x : tensor<4xbf16>
  return
}

// CHECK-LABEL: func.func @activations
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf16>)
func.func @activations(%x: tensor<4xf16>) {
  // CHECK: nlp.relu %[[X]] : tensor<4xf16>
  %0 = nlp.relu %x : tensor<4xf16>
  // CHECK: nlp.silu %[[X]] : tensor<4xf16>
  %1 = nlp.silu %x : tensor<4xf16>
  // CHECK: nlp.gelu erf %[[X]] : tensor<4xf16>
  %2 = nlp.gelu erf %x : tensor<4xf16>
  // CHECK: nlp.gelu tanh %[[X]] : tensor<4xf16>
  %3 = nlp.gelu tanh %x : tensor<4xf16>
  return
}

// CHECK-LABEL: func.func @gradients
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf64>, %[[DY:.*]]: tensor<4xf64>)
func.func @gradients(%x: tensor<4xf64>, %dy: tensor<4xf64>) {
  // CHECK: nlp.relu_grad %[[X]], %[[DY]] : tensor<4xf64>
  %0 = nlp.relu_grad %x, %dy : tensor<4xf64>
  // CHECK: nlp.silu_grad %[[X]], %[[DY]] : tensor<4xf64>
  %1 = nlp.silu_grad %x, %dy : tensor<4xf64>
  // CHECK: nlp.gelu_grad erf %[[X]], %[[DY]] : tensor<4xf64>
  %2 = nlp.gelu_grad erf %x, %dy : tensor<4xf64>
  // CHECK: nlp.gelu_grad tanh %[[X]], %[[DY]] : tensor<4xf64>
  %3 = nlp.gelu_grad tanh %x, %dy : tensor<4xf64>
  // CHECK: nlp.tanh_grad %[[X]], %[[DY]] : tensor<4xf64>
  %4 = nlp.tanh_grad %x, %dy : tensor<4xf64>
  // CHECK: nlp.sigmoid_grad %[[X]], %[[DY]] : tensor<4xf64>
  %5 = nlp.sigmoid_grad %x, %dy : tensor<4xf64>
  return
}

// CHECK-LABEL: func.func @dropout
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>, %[[I:.*]]: tensor<i64>)
// CHECK:         nlp.dropout %[[X]], %[[I]], %[[I]] rate 1.000000e-01 site "h.0.drop" : tensor<2x3xf32>
func.func @dropout(%x: tensor<2x3xf32>, %i: tensor<i64>) {
  %0 = nlp.dropout %x, %i, %i rate 0.1 site "h.0.drop" : tensor<2x3xf32>
  return
}

// Rank 0, and a plan, which is an inherent attribute.
// CHECK-LABEL: func.func @scalar
// CHECK:         nlp.neg %{{.*}} {plan = #nlp.op_plan<storage = [recompute]>} : tensor<f32>
func.func @scalar(%x: tensor<f32>) {
  %0 = nlp.neg %x {plan = #nlp.op_plan<storage = [recompute]>} : tensor<f32>
  return
}
