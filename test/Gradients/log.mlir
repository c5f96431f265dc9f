// The gradient of nlp.log, of positive numbers.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_log : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_log : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_log = nlp.read @x_log : tensor<2x3xf32>
    %pre_log = nlp.sigmoid %x_log : tensor<2x3xf32>
    %y_log = nlp.log %pre_log : tensor<2x3xf32>
    %w_log = nlp.read @w_log : tensor<2x3xf32>
    %log_p = nlp.mul %y_log, %w_log : tensor<2x3xf32>
    %log_l = nlp.reduce_sum %log_p leading 2 : tensor<2x3xf32>
    nlp.report loss, %log_l : tensor<f32>
  }
}
