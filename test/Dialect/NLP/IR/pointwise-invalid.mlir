// RUN: nlp-opt %s -split-input-file -verify-diagnostics

func.func @one_type(%x: tensor<2xf32>, %y: tensor<2xbf16>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "nlp.add"(%x, %y) : (tensor<2xf32>, tensor<2xbf16>) -> tensor<2xf32>
  return
}

// -----

func.func @floats(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be tensor with static sizes of 1 or more}}
  %0 = nlp.neg %x : tensor<2xi32>
  return
}

// -----

func.func @static(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be tensor with static sizes of 1 or more}}
  %0 = nlp.neg %x : tensor<?xf32>
  return
}

// -----

func.func @ranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{operand #0 must be tensor with static sizes of 1 or more}}
  %0 = "nlp.neg"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @not_empty(%x: tensor<3x0xf32>) {
  // expected-error @+1 {{operand #0 must be tensor with static sizes of 1 or more}}
  %0 = nlp.neg %x : tensor<3x0xf32>
  return
}

// -----

// 2^54 elements of 4 bytes are just few enough.
func.func @most_bytes(%x: tensor<18014398509481984xf32>) {
  %0 = nlp.neg %x : tensor<18014398509481984xf32>
  return
}

// -----

func.func @too_many_bytes(%x: tensor<18014398509481985xf32>) {
  // expected-error @+1 {{operand #0 must be tensor with static sizes of 1 or more and 2^56 bytes at most}}
  %0 = nlp.neg %x : tensor<18014398509481985xf32>
  return
}

// -----

// 2^63 - 1 times 3 leaves int64.
func.func @overflow(%x: tensor<9223372036854775807x3xf32>) {
  // expected-error @+1 {{operand #0 must be tensor with static sizes of 1 or more}}
  %0 = nlp.neg %x : tensor<9223372036854775807x3xf32>
  return
}

// -----

func.func @gelu_kind(%x: tensor<2xf32>) {
  // expected-error @+1 {{requires attribute 'kind'}}
  %0 = "nlp.gelu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @gelu_unknown(%x: tensor<2xf32>) {
  // expected-error @+2 {{failed to parse NLP_GeluKindAttr}}
  // expected-error @+1 {{expected ::nlp::GeluKind to be one of: erf, tanh}}
  %0 = nlp.gelu quick %x : tensor<2xf32>
  return
}

// -----

func.func @dropout_c1(%x: tensor<2xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{expected a rate in [0, 1), but got 1.0}}
  %0 = nlp.dropout %x, %i, %i rate 1.0 site "s" : tensor<2xf32>
  return
}

// -----

// Not a number.
func.func @dropout_c1_nan(%x: tensor<2xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{expected a rate in [0, 1), but got}}
  %0 = nlp.dropout %x, %i, %i rate 0x7FF8000000000000 site "s" : tensor<2xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<f32>, %i: tensor<i64>) {
  // expected-error @+1 {{expected an input of rank 1 or more}}
  %0 = nlp.dropout %x, %i, %i rate 0.5 site "s" : tensor<f32>
  return
}

// -----

func.func @dropout_c3(%x: tensor<2xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{expected a site that is not empty}}
  %0 = nlp.dropout %x, %i, %i rate 0.5 site "" : tensor<2xf32>
  return
}
