// RUN: nlp-opt %s -split-input-file -verify-diagnostics

func.func @layer_norm_c1(%x: tensor<f32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected an input of rank 1 or more}}
  %y, %m, %r = nlp.layer_norm %x, %w, %w eps 1.0e-5 : tensor<f32>, tensor<8xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{expected weight of shape [8], the last dimension of input, but got 'tensor<4xf32>'}}
  %y, %m, %r = nlp.layer_norm %x, %w, %w eps 1.0e-5
      : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c2_rank(%x: tensor<4x8xf32>, %w: tensor<1x8xf32>) {
  // expected-error @+1 {{expected weight of shape [8]}}
  %y, %m, %r = nlp.layer_norm %x, %w, %w eps 1.0e-5
      : tensor<4x8xf32>, tensor<1x8xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected a positive epsilon}}
  %y, %m, %r = nlp.layer_norm %x, %w, %w eps 0.0
      : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @layer_norm_results(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4x8xf32>', 'tensor<4xf32>', 'tensor<4xf32>' are incompatible}}
  %y, %m, %r = "nlp.layer_norm"(%x, %w, %w) <{epsilon = 1.0e-5 : f64}>
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
      -> (tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @layer_norm_epsilon(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{requires attribute 'epsilon'}}
  %y, %m, %r = "nlp.layer_norm"(%x, %w, %w)
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
      -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @layer_norm_grad_rank(%x: tensor<f32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected an input of rank 1 or more}}
  %dx, %dw, %db = nlp.layer_norm_grad %x, %x, %w, %x, %x
      : tensor<f32>, tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @layer_norm_grad_c1(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{expected weight of shape [8]}}
  %dx, %dw, %db = nlp.layer_norm_grad %x, %x, %w, %w, %w
      : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_grad_c2(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected a statistic of type 'tensor<4xf32>', but got 'tensor<8xf32>'}}
  %dx, %dw, %db = nlp.layer_norm_grad %x, %x, %w, %w, %w
      : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<f32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected an input of rank 1 or more}}
  %y, %r = nlp.rms_norm %x, %w eps 1.0e-5 : tensor<f32>, tensor<8xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{expected weight of shape [8], the last dimension of input, but got 'tensor<4xf32>'}}
  %y, %r = nlp.rms_norm %x, %w eps 1.0e-5 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected a positive epsilon}}
  %y, %r = nlp.rms_norm %x, %w eps -1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @rms_norm_grad_rank(%x: tensor<f32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected an input of rank 1 or more}}
  %dx, %dw = nlp.rms_norm_grad %x, %x, %w, %x
      : tensor<f32>, tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @rms_norm_grad_c1(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{expected weight of shape [8]}}
  %dx, %dw = nlp.rms_norm_grad %x, %x, %w, %w
      : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @rms_norm_grad_c2(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected a statistic of type 'tensor<4xf32>', but got 'tensor<8xf32>'}}
  %dx, %dw = nlp.rms_norm_grad %x, %x, %w, %w
      : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}
