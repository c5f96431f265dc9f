// The gradient of nlp.reshape, to a scalar too.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x : tensor<2x3x4xf32> init normal scale 1.0
nlp.parameter @w_y : tensor<6x2x2xf32> init normal scale 1.0
nlp.parameter @one : tensor<1xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x = nlp.read @x : tensor<2x3x4xf32>
    %y = nlp.reshape %x : tensor<2x3x4xf32> -> tensor<6x2x2xf32>
    %w_y = nlp.read @w_y : tensor<6x2x2xf32>
    %y_p = nlp.mul %y, %w_y : tensor<6x2x2xf32>
    %y_l = nlp.reduce_sum %y_p leading 3 : tensor<6x2x2xf32>
    %one = nlp.read @one : tensor<1xf32>
    %z = nlp.reshape %one : tensor<1xf32> -> tensor<f32>
    %sum1 = nlp.add %y_l, %z : tensor<f32>
    nlp.report loss, %sum1 : tensor<f32>
  }
}
