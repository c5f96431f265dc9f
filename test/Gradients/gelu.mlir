// The gradients of both kinds of nlp.gelu.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_erf : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_erf : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @x_tanh : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_tanh : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_erf = nlp.read @x_erf : tensor<2x3xf32>
    %y_erf = nlp.gelu erf %x_erf : tensor<2x3xf32>
    %w_erf = nlp.read @w_erf : tensor<2x3xf32>
    %erf_p = nlp.mul %y_erf, %w_erf : tensor<2x3xf32>
    %erf_l = nlp.reduce_sum %erf_p leading 2 : tensor<2x3xf32>
    %x_tanh = nlp.read @x_tanh : tensor<2x3xf32>
    %y_tanh = nlp.gelu tanh %x_tanh : tensor<2x3xf32>
    %w_tanh = nlp.read @w_tanh : tensor<2x3xf32>
    %tanh_p = nlp.mul %y_tanh, %w_tanh : tensor<2x3xf32>
    %tanh_l = nlp.reduce_sum %tanh_p leading 2 : tensor<2x3xf32>
    %sum1 = nlp.add %erf_l, %tanh_l : tensor<f32>
    nlp.report loss, %sum1 : tensor<f32>
  }
}
