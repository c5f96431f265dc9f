// The gradient of nlp.sigmoid.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_sigmoid : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_sigmoid : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_sigmoid = nlp.read @x_sigmoid : tensor<2x3xf32>
    %y_sigmoid = nlp.sigmoid %x_sigmoid : tensor<2x3xf32>
    %w_sigmoid = nlp.read @w_sigmoid : tensor<2x3xf32>
    %sigmoid_p = nlp.mul %y_sigmoid, %w_sigmoid : tensor<2x3xf32>
    %sigmoid_l = nlp.reduce_sum %sigmoid_p leading 2 : tensor<2x3xf32>
    nlp.report loss, %sigmoid_l : tensor<f32>
  }
}
