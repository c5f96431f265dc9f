// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: func.func @rope
// CHECK-SAME:    (%[[X:.*]]: tensor<1x2x3x4xf32>)
func.func @rope(%x: tensor<1x2x3x4xf32>) {
  // All digits of a frequency survive: 1e4^(-1/2) is not 0.01 in six digits.
  // CHECK: %[[Y:.*]] = nlp.rope %[[X]] frequencies [1.000000e+00, 0.010000000000000002] : tensor<1x2x3x4xf32>
  %y = nlp.rope %x frequencies [1.0, 0.010000000000000002]
      : tensor<1x2x3x4xf32>
  // CHECK: nlp.rope %[[Y]] frequencies [1.000000e+00, 0x7FF0000000000000] {inverse = true} : tensor<1x2x3x4xf32>
  %z = nlp.rope %y frequencies [1.0, 0x7FF0000000000000] {inverse = true}
      : tensor<1x2x3x4xf32>
  return
}

// Four query heads share two key heads.
// CHECK-LABEL: func.func @attention
// CHECK-SAME:    (%[[Q:.*]]: tensor<1x5x4x8xf32>, %[[K:.*]]: tensor<1x5x2x8xf32>, %[[I:.*]]: tensor<i64>)
func.func @attention(%q: tensor<1x5x4x8xf32>, %k: tensor<1x5x2x8xf32>,
                     %i: tensor<i64>) -> (tensor<1x5x4x8xf32>, tensor<1x4x5xf32>) {
  // CHECK: %[[Y:.*]], %[[LSE:.*]] = nlp.attention causal %[[Q]], %[[K]], %[[K]] scale 5.000000e-01 : tensor<1x5x4x8xf32>, tensor<1x5x2x8xf32>
  %y, %lse = nlp.attention causal %q, %k, %k scale 0.5
      : tensor<1x5x4x8xf32>, tensor<1x5x2x8xf32>
  // CHECK: nlp.attention sliding_window %[[Q]], %[[K]], %[[K]] scale 5.000000e-01 {window = 3 : i64}
  %1:2 = nlp.attention sliding_window %q, %k, %k scale 0.5 {window = 3 : i64}
      : tensor<1x5x4x8xf32>, tensor<1x5x2x8xf32>
  // CHECK: nlp.attention bidirectional %[[Q]], %[[K]], %[[K]] seed %[[I]], %[[I]] scale 5.000000e-01 {dropout = 1.000000e-01 : f64, site = "h.0"}
  %2:2 = nlp.attention bidirectional %q, %k, %k seed %i, %i scale 0.5
      {dropout = 0.1 : f64, site = "h.0"}
      : tensor<1x5x4x8xf32>, tensor<1x5x2x8xf32>
  // CHECK: nlp.attention_grad causal %[[Y]], %[[Q]], %[[K]], %[[K]], %[[Y]], %[[LSE]] scale 5.000000e-01 : tensor<1x5x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x4x5xf32>
  %3:3 = nlp.attention_grad causal %y, %q, %k, %k, %y, %lse scale 0.5
      : tensor<1x5x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x4x5xf32>
  // CHECK: nlp.attention_grad bidirectional %{{.*}} seed %[[I]], %[[I]] scale 5.000000e-01 {dropout = 1.000000e-01 : f64, site = "h.0"}
  %4:3 = nlp.attention_grad bidirectional %y, %q, %k, %k, %y, %lse seed %i, %i
      scale 0.5 {dropout = 0.1 : f64, site = "h.0"}
      : tensor<1x5x4x8xf32>, tensor<1x5x2x8xf32>, tensor<1x4x5xf32>
  return %y, %lse : tensor<1x5x4x8xf32>, tensor<1x4x5xf32>
}

// More keys than queries.
// CHECK-LABEL: func.func @cross
// CHECK:         nlp.attention bidirectional
func.func @cross(%q: tensor<1x5x4x8xbf16>, %k: tensor<1x9x4x8xbf16>) {
  %0:2 = nlp.attention bidirectional %q, %k, %k scale 0.5
      : tensor<1x5x4x8xbf16>, tensor<1x9x4x8xbf16>
  return
}
