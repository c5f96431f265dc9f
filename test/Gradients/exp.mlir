// The gradient of nlp.exp.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_exp : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_exp : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_exp = nlp.read @x_exp : tensor<2x3xf32>
    %y_exp = nlp.exp %x_exp : tensor<2x3xf32>
    %w_exp = nlp.read @w_exp : tensor<2x3xf32>
    %exp_p = nlp.mul %y_exp, %w_exp : tensor<2x3xf32>
    %exp_l = nlp.reduce_sum %exp_p leading 2 : tensor<2x3xf32>
    nlp.report loss, %exp_l : tensor<f32>
  }
}
