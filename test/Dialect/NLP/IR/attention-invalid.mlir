// RUN: nlp-opt %s -split-input-file -verify-diagnostics

func.func @rope_c1_rank(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{expected an input of rank 4 with an even last dimension, but got 'tensor<2x3x4xf32>'}}
  %y = nlp.rope %x frequencies [1.0, 0.5] : tensor<2x3x4xf32>
  return
}

// -----

func.func @rope_c1_odd(%x: tensor<1x2x3x5xf32>) {
  // expected-error @+1 {{expected an input of rank 4 with an even last dimension}}
  %y = nlp.rope %x frequencies [1.0, 0.5] : tensor<1x2x3x5xf32>
  return
}

// -----

func.func @rope_c1_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{expected an input of rank 4 with an even last dimension}}
  %y = nlp.rope %x frequencies [] : tensor<f32>
  return
}

// -----

func.func @rope_c2(%x: tensor<1x2x3x4xf32>) {
  // expected-error @+1 {{expected 2 frequencies, but got 1}}
  %y = nlp.rope %x frequencies [1.0] : tensor<1x2x3x4xf32>
  return
}

// -----

func.func @attention_c1_rank(%q: tensor<5x4x8xf32>) {
  // expected-error @+1 {{expected query and key of rank 4 with equal batch, head dimension and type, but got 'tensor<5x4x8xf32>' and 'tensor<5x4x8xf32>'}}
  %0:2 = nlp.attention causal %q, %q, %q scale 1.0
      : tensor<5x4x8xf32>, tensor<5x4x8xf32>
  return
}

// -----

func.func @attention_c1_batch(%q: tensor<2x5x4x8xf32>, %k: tensor<1x5x4x8xf32>) {
  // expected-error @+1 {{expected query and key of rank 4 with equal batch}}
  %0:2 = nlp.attention causal %q, %k, %k scale 1.0
      : tensor<2x5x4x8xf32>, tensor<1x5x4x8xf32>
  return
}

// -----

func.func @attention_c1_dim(%q: tensor<1x5x4x8xf32>, %k: tensor<1x5x4x6xf32>) {
  // expected-error @+1 {{expected query and key of rank 4 with equal batch}}
  %0:2 = nlp.attention causal %q, %k, %k scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x5x4x6xf32>
  return
}

// -----

func.func @attention_c1_type(%q: tensor<1x5x4x8xf32>, %k: tensor<1x5x4x8xf16>) {
  // expected-error @+1 {{expected query and key of rank 4 with equal batch}}
  %0:2 = nlp.attention causal %q, %k, %k scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf16>
  return
}

// -----

func.func @attention_c2_values(%q: tensor<1x5x4x8xf32>,
                               %v: tensor<1x5x2x8xf32>) {
  // expected-error @+1 {{failed to verify that all of {key, value} have same type}}
  %0:2 = "nlp.attention"(%q, %q, %v) <{mask = #nlp<mask_kind causal>,
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 1.0 : f64}>
      : (tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>, tensor<1x5x2x8xf32>)
      -> (tensor<1x5x4x8xf32>, tensor<1x4x5xf32>)
  return
}

// -----

func.func @attention_c2_heads(%q: tensor<1x5x4x8xf32>, %k: tensor<1x5x3x8xf32>) {
  // expected-error @+1 {{expected a number of key heads that divides 4, but got 3}}
  %0:2 = nlp.attention causal %q, %k, %k scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x5x3x8xf32>
  return
}

// -----

func.func @attention_no_heads(%q: tensor<1x5x4x8xf32>, %k: tensor<1x5x0x8xf32>) {
  // expected-error @+1 {{expected tensors with static sizes of 1 or more and 2^56 bytes at most, but got 'tensor<1x5x0x8xf32>'}}
  %0:2 = nlp.attention causal %q, %k, %k scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x5x0x8xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<1x5x4x8xf32>, %k: tensor<1x6x4x8xf32>) {
  // expected-error @+1 {{expected as many keys as queries for a causal mask, but got 6 and 5}}
  %0:2 = nlp.attention causal %q, %k, %k scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x6x4x8xf32>
  return
}

// -----

func.func @attention_c4_none(%q: tensor<1x5x4x8xf32>) {
  // expected-error @+1 {{expected a positive window for a sliding window and 0 otherwise, but got 0}}
  %0:2 = nlp.attention sliding_window %q, %q, %q scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>
  return
}

// -----

func.func @attention_c4_causal(%q: tensor<1x5x4x8xf32>) {
  // expected-error @+1 {{expected a positive window for a sliding window and 0 otherwise, but got 2}}
  %0:2 = nlp.attention causal %q, %q, %q scale 1.0 {window = 2 : i64}
      : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>
  return
}

// -----

func.func @attention_c5_rate(%q: tensor<1x5x4x8xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{expected a dropout in [0, 1), but got -5.000000e-01}}
  %0:2 = nlp.attention causal %q, %q, %q seed %i, %i scale 1.0
      {dropout = -0.5 : f64, site = "s"}
      : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>
  return
}

// -----

func.func @attention_c5_seed(%q: tensor<1x5x4x8xf32>) {
  // expected-error @+1 {{expected a seed, a first sequence and a site with dropout}}
  %0:2 = nlp.attention causal %q, %q, %q scale 1.0
      {dropout = 0.5 : f64, site = "s"}
      : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>
  return
}

// -----

func.func @attention_c5_site(%q: tensor<1x5x4x8xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{expected a seed, a first sequence and a site with dropout}}
  %0:2 = nlp.attention causal %q, %q, %q seed %i, %i scale 1.0
      {dropout = 0.5 : f64} : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>
  return
}

// -----

func.func @attention_c5_both(%q: tensor<1x5x4x8xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{expected both a seed and a first sequence, or neither}}
  %0:2 = "nlp.attention"(%q, %q, %q, %i) <{mask = #nlp<mask_kind causal>,
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, scale = 1.0 : f64}>
      : (tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>,
         tensor<i64>) -> (tensor<1x5x4x8xf32>, tensor<1x4x5xf32>)
  return
}

// -----

func.func @attention_grad_c2(%q: tensor<1x5x4x8xf32>, %k: tensor<1x5x3x8xf32>,
                             %l: tensor<1x4x5xf32>) {
  // expected-error @+1 {{expected a number of key heads that divides 4, but got 3}}
  %0:3 = nlp.attention_grad causal %q, %q, %k, %k, %q, %l scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x5x3x8xf32>, tensor<1x4x5xf32>
  return
}

// -----

func.func @attention_grad_c3(%q: tensor<1x5x4x8xf32>, %k: tensor<1x6x4x8xf32>,
                             %l: tensor<1x4x5xf32>) {
  // expected-error @+1 {{expected as many keys as queries for a causal mask, but got 6 and 5}}
  %0:3 = nlp.attention_grad causal %q, %q, %k, %k, %q, %l scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x6x4x8xf32>, tensor<1x4x5xf32>
  return
}

// -----

// [batch, heads, queries], not [batch, queries, heads].
func.func @attention_grad_c6(%q: tensor<1x5x4x8xf32>, %l: tensor<1x5x4xf32>) {
  // expected-error @+1 {{expected lse of type 'tensor<1x4x5xf32>', but got 'tensor<1x5x4xf32>'}}
  %0:3 = nlp.attention_grad causal %q, %q, %q, %q, %q, %l scale 1.0
      : tensor<1x5x4x8xf32>, tensor<1x5x4x8xf32>, tensor<1x5x4xf32>
  return
}
