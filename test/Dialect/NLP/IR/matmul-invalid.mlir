// RUN: nlp-opt %s -split-input-file -verify-diagnostics

func.func @linear_c1_input(%x: tensor<f32>, %w: tensor<6x10xf32>) {
  // expected-error @+1 {{expected an input of rank 1 or more and a weight of rank 2, but got 'tensor<f32>' and 'tensor<6x10xf32>'}}
  %y = nlp.linear %x, %w layout in_out : tensor<f32>, tensor<6x10xf32>
  return
}

// -----

func.func @linear_c1_weight(%x: tensor<6xf32>, %w: tensor<6xf32>) {
  // expected-error @+1 {{expected an input of rank 1 or more and a weight of rank 2}}
  %y = nlp.linear %x, %w layout in_out : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<4x6xf32>, %w: tensor<6x10xf32>) {
  // expected-error @+1 {{expected an input whose last dimension is 10, but got 'tensor<4x6xf32>'}}
  %y = nlp.linear %x, %w layout out_in : tensor<4x6xf32>, tensor<6x10xf32>
  return
}

// -----

func.func @linear_c3(%x: tensor<4x6xf32>, %w: tensor<6x10xf32>,
                     %b: tensor<6xf32>) {
  // expected-error @+1 {{expected a bias of type 'tensor<10xf32>', but got 'tensor<6xf32>'}}
  %y = nlp.linear %x, %w bias %b layout in_out
      : tensor<4x6xf32>, tensor<6x10xf32>, tensor<6xf32>
  return
}

// -----

func.func @linear_c4(%x: tensor<4x6xf32>, %w: tensor<6x10xbf16>) {
  // expected-error @+1 {{expected a weight of element type 'f32', but got 'tensor<6x10xbf16>'}}
  %y = nlp.linear %x, %w layout in_out : tensor<4x6xf32>, tensor<6x10xbf16>
  return
}

// -----

func.func @linear_c4_bias(%x: tensor<4x6xf32>, %w: tensor<6x10xf32>,
                          %b: tensor<10xbf16>) {
  // expected-error @+1 {{expected a bias of type 'tensor<10xf32>', but got 'tensor<10xbf16>'}}
  %y = nlp.linear %x, %w bias %b layout in_out
      : tensor<4x6xf32>, tensor<6x10xf32>, tensor<10xbf16>
  return
}

// -----

func.func @linear_layout(%x: tensor<4x6xf32>, %w: tensor<6x10xf32>) {
  // expected-error @+1 {{requires attribute 'layout'}}
  %y = "nlp.linear"(%x, %w)
      : (tensor<4x6xf32>, tensor<6x10xf32>) -> tensor<4x10xf32>
  return
}

// -----

// Both operands have 2^53 elements; the result would have 2^104.
func.func @linear_overflow(%x: tensor<4503599627370496x2xf32>,
                           %w: tensor<2x4503599627370496xf32>) {
  // expected-error @+1 {{result #0 must be tensor with static sizes of 1 or more and 2^56 bytes at most}}
  %y = nlp.linear %x, %w layout in_out
      : tensor<4503599627370496x2xf32>, tensor<2x4503599627370496xf32>
  return
}

// -----

func.func @linear_weight_grad_c1_rank(%x: tensor<6xf32>) {
  // expected-error @+1 {{expected two tensors of rank 2 or more with the same leading dimensions, but got 'tensor<6xf32>' and 'tensor<6xf32>'}}
  %y = nlp.linear_weight_grad %x, %x layout in_out : tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @linear_weight_grad_c1_rows(%x: tensor<4x6xf32>, %y: tensor<5x6xf32>) {
  // expected-error @+1 {{expected two tensors of rank 2 or more with the same leading dimensions}}
  %z = nlp.linear_weight_grad %x, %y layout in_out
      : tensor<4x6xf32>, tensor<5x6xf32>
  return
}

// -----

func.func @linear_weight_grad_c1_type(%x: tensor<4x6xf32>,
                                      %y: tensor<4x6xbf16>) {
  // expected-error @+1 {{expected two tensors of rank 2 or more with the same leading dimensions}}
  %z = nlp.linear_weight_grad %x, %y layout in_out
      : tensor<4x6xf32>, tensor<4x6xbf16>
  return
}

// -----

func.func @embedding_c1(%t: tensor<10xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{expected a table of rank 2, but got 'tensor<10xf32>'}}
  %y = nlp.embedding %t, %i : tensor<10xf32>, tensor<2xi32>
  return
}

// -----

func.func @embedding_ids(%t: tensor<10x6xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{operand #1 must be tensor with static sizes of 1 or more and 2^56 bytes at most of 32-bit signless integer values}}
  %y = nlp.embedding %t, %i : tensor<10x6xf32>, tensor<2xi64>
  return
}

// -----

func.func @embedding_grad_c1(%g: tensor<2x6xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{expected a gradient with the shape of 'tensor<3xi32>' and one more dimension, but got 'tensor<2x6xf32>'}}
  %y = nlp.embedding_grad %g, %i rows 10 : tensor<2x6xf32>, tensor<3xi32>
  return
}

// -----

func.func @embedding_grad_c1_rank(%g: tensor<f32>, %i: tensor<i32>) {
  // expected-error @+1 {{expected a gradient with the shape of 'tensor<i32>' and one more dimension}}
  %y = nlp.embedding_grad %g, %i rows 10 : tensor<f32>, tensor<i32>
  return
}

// -----

func.func @embedding_grad_c2(%g: tensor<2x6xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{expected a positive number of rows}}
  %y = nlp.embedding_grad %g, %i rows 0 : tensor<2x6xf32>, tensor<2xi32>
  return
}
