// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// 40000 elements are three blocks of 16384 at most.
// CHECK-LABEL: func.func @clip
// CHECK-SAME:    (%[[G:.*]]: tensor<200x200xf32>, %[[H:.*]]: tensor<f32>, %[[MAX:.*]]: tensor<f64>)
// CHECK:         %[[A:.*]] = nlp.square_sum %[[G]] : tensor<200x200xf32>
// CHECK:         %[[B:.*]] = nlp.square_sum %[[H]] : tensor<f32>
// CHECK:         nlp.clip_factor %[[MAX]], %[[A]], %[[B]] : tensor<3xf64>, tensor<1xf64>
func.func @clip(%g: tensor<200x200xf32>, %h: tensor<f32>, %max: tensor<f64>) {
  %a = nlp.square_sum %g : tensor<200x200xf32>
  %b = nlp.square_sum %h : tensor<f32>
  %factor, %norm = nlp.clip_factor %max, %a, %b : tensor<3xf64>, tensor<1xf64>
  return
}

// CHECK-LABEL: func.func @adamw
// CHECK-SAME:    (%[[P:.*]]: tensor<4xbf16>, %[[G:.*]]: tensor<4xbf16>, %[[M:.*]]: tensor<4xf32>, %[[F:.*]]: tensor<f32>, %[[S:.*]]: tensor<f64>, %[[T:.*]]: tensor<i64>)
func.func @adamw(%p: tensor<4xbf16>, %g: tensor<4xbf16>, %m: tensor<4xf32>,
                 %f: tensor<f32>, %s: tensor<f64>, %t: tensor<i64>) {
  // CHECK: nlp.adamw %[[P]], %[[G]] moments %[[M]], %[[M]] scalars %[[S]], %[[S]], %[[S]], %[[S]], %[[T]] : tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>
  %0:3 = nlp.adamw %p, %g moments %m, %m scalars %s, %s, %s, %s, %t
      : tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>
  // CHECK: nlp.adamw %[[P]], %[[G]] moments %[[M]], %[[M]] factor %[[F]] scalars %[[S]], %[[S]], %[[S]], %[[S]], %[[T]] decay %[[S]] : tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>
  %1:3 = nlp.adamw %p, %g moments %m, %m factor %f
      scalars %s, %s, %s, %s, %t decay %s
      : tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @sgd
// CHECK-SAME:    (%[[P:.*]]: tensor<4xf32>, %[[F:.*]]: tensor<f32>, %[[S:.*]]: tensor<f64>)
func.func @sgd(%p: tensor<4xf32>, %f: tensor<f32>, %s: tensor<f64>) {
  // CHECK: nlp.sgd %[[P]], %[[P]] velocity %[[P]] scalars %[[S]], %[[S]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %0:2 = nlp.sgd %p, %p velocity %p scalars %s, %s
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: nlp.sgd %[[P]], %[[P]] velocity %[[P]] factor %[[F]] scalars %[[S]], %[[S]] decay %[[S]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %1:2 = nlp.sgd %p, %p velocity %p factor %f scalars %s, %s decay %s
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}
