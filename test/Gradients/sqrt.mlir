// The gradient of nlp.sqrt, of positive numbers.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_sqrt : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_sqrt : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_sqrt = nlp.read @x_sqrt : tensor<2x3xf32>
    %pre_sqrt = nlp.exp %x_sqrt : tensor<2x3xf32>
    %y_sqrt = nlp.sqrt %pre_sqrt : tensor<2x3xf32>
    %w_sqrt = nlp.read @w_sqrt : tensor<2x3xf32>
    %sqrt_p = nlp.mul %y_sqrt, %w_sqrt : tensor<2x3xf32>
    %sqrt_l = nlp.reduce_sum %sqrt_p leading 2 : tensor<2x3xf32>
    nlp.report loss, %sqrt_l : tensor<f32>
  }
}
