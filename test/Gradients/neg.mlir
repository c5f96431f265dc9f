// The gradient of nlp.neg.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_neg : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_neg : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_neg = nlp.read @x_neg : tensor<2x3xf32>
    %y_neg = nlp.neg %x_neg : tensor<2x3xf32>
    %w_neg = nlp.read @w_neg : tensor<2x3xf32>
    %neg_p = nlp.mul %y_neg, %w_neg : tensor<2x3xf32>
    %neg_l = nlp.reduce_sum %neg_p leading 2 : tensor<2x3xf32>
    nlp.report loss, %neg_l : tensor<f32>
  }
}
