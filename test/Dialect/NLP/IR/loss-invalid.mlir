// RUN: nlp-opt %s -split-input-file -verify-diagnostics

func.func @cross_entropy_c1(%x: tensor<2x10xf32>, %t: tensor<3xi32>) {
  // expected-error @+1 {{expected logits with the shape of 'tensor<3xi32>' and one more dimension, but got 'tensor<2x10xf32>'}}
  %l, %s = nlp.cross_entropy %x, %t normalizer 2.0
      : tensor<2x10xf32>, tensor<3xi32>
  return
}

// -----

func.func @cross_entropy_c1_rank(%x: tensor<f32>, %t: tensor<i32>) {
  // expected-error @+1 {{expected logits with the shape of 'tensor<i32>' and one more dimension}}
  %l, %s = nlp.cross_entropy %x, %t normalizer 2.0 : tensor<f32>, tensor<i32>
  return
}

// -----

func.func @cross_entropy_c2(%x: tensor<2x10xf32>, %t: tensor<2xi32>) {
  // expected-error @+1 {{expected a positive normalizer}}
  %l, %s = nlp.cross_entropy %x, %t normalizer 0.0
      : tensor<2x10xf32>, tensor<2xi32>
  return
}

// -----

// Not a number.
func.func @cross_entropy_c2_nan(%x: tensor<2x10xf32>, %t: tensor<2xi32>) {
  // expected-error @+1 {{expected a positive normalizer}}
  %l, %s = nlp.cross_entropy %x, %t normalizer 0x7FF8000000000000
      : tensor<2x10xf32>, tensor<2xi32>
  return
}

// -----

func.func @cross_entropy_grad_c1(%l: tensor<f32>, %x: tensor<2x10xf32>,
                                 %t: tensor<3xi32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected logits with the shape of 'tensor<3xi32>' and one more dimension}}
  %dx = nlp.cross_entropy_grad %l, %x, %t, %s normalizer 2.0
      : tensor<2x10xf32>, tensor<3xi32>, tensor<3xf32>
  return
}

// -----

func.func @cross_entropy_grad_c2(%l: tensor<f32>, %x: tensor<2x10xf32>,
                                 %t: tensor<2xi32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected lse of type 'tensor<2xf32>', but got 'tensor<3xf32>'}}
  %dx = nlp.cross_entropy_grad %l, %x, %t, %s normalizer 2.0
      : tensor<2x10xf32>, tensor<2xi32>, tensor<3xf32>
  return
}

// -----

func.func @cross_entropy_grad_c3(%l: tensor<f32>, %x: tensor<2x10xf32>,
                                 %t: tensor<2xi32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{expected a positive normalizer}}
  %dx = nlp.cross_entropy_grad %l, %x, %t, %s normalizer -1.0
      : tensor<2x10xf32>, tensor<2xi32>, tensor<2xf32>
  return
}
