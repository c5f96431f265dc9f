// RUN: nlp-opt %s -split-input-file -verify-diagnostics

func.func @adamw_c1_grad(%p: tensor<4xf32>, %g: tensor<5xf32>,
                         %s: tensor<f64>, %t: tensor<i64>) {
  // expected-error @+1 {{expected tensors of the parameter's shape 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0:3 = nlp.adamw %p, %g moments %p, %p scalars %s, %s, %s, %s, %t
      : tensor<4xf32>, tensor<5xf32>, tensor<4xf32>
  return
}

// -----

func.func @adamw_c1_moments(%p: tensor<4xf32>, %m: tensor<2x2xf32>,
                            %s: tensor<f64>, %t: tensor<i64>) {
  // expected-error @+1 {{expected tensors of the parameter's shape 'tensor<4xf32>', but got 'tensor<2x2xf32>'}}
  %0:3 = nlp.adamw %p, %p moments %m, %m scalars %s, %s, %s, %s, %t
      : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @adamw_segments(%p: tensor<4xf32>) {
  // expected-error @+1 {{expected 9 or more operands, but found 1}}
  %0:3 = "nlp.adamw"(%p)
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c1(%p: tensor<4xf32>, %v: tensor<5xf32>, %s: tensor<f64>) {
  // expected-error @+1 {{expected tensors of the parameter's shape 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0:2 = nlp.sgd %p, %p velocity %v scalars %s, %s
      : tensor<4xf32>, tensor<4xf32>, tensor<5xf32>
  return
}

// -----

// The norm of 2^56 bytes has a type; one element more has none.
func.func @square_sum(%g: tensor<18014398509481985xf32>) {
  // expected-error @+1 {{expected tensors with static sizes of 1 or more and 2^56 bytes at most}}
  %0 = nlp.square_sum %g : tensor<18014398509481985xf32>
  return
}
