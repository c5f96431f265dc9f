// The gradient of nlp.silu.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_silu : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_silu : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_silu = nlp.read @x_silu : tensor<2x3xf32>
    %y_silu = nlp.silu %x_silu : tensor<2x3xf32>
    %w_silu = nlp.read @w_silu : tensor<2x3xf32>
    %silu_p = nlp.mul %y_silu, %w_silu : tensor<2x3xf32>
    %silu_l = nlp.reduce_sum %silu_p leading 2 : tensor<2x3xf32>
    nlp.report loss, %silu_l : tensor<f32>
  }
}
