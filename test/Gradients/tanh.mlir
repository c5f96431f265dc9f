// The gradient of nlp.tanh.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_tanh : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_tanh : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_tanh = nlp.read @x_tanh : tensor<2x3xf32>
    %y_tanh = nlp.tanh %x_tanh : tensor<2x3xf32>
    %w_tanh = nlp.read @w_tanh : tensor<2x3xf32>
    %tanh_p = nlp.mul %y_tanh, %w_tanh : tensor<2x3xf32>
    %tanh_l = nlp.reduce_sum %tanh_p leading 2 : tensor<2x3xf32>
    nlp.report loss, %tanh_l : tensor<f32>
  }
}
