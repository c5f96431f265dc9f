// The gradient of nlp.scale.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_half : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_half : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @x_negative : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_negative : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_half = nlp.read @x_half : tensor<2x3xf32>
    %y_half = nlp.scale %x_half by 0.5 : tensor<2x3xf32>
    %w_half = nlp.read @w_half : tensor<2x3xf32>
    %half_p = nlp.mul %y_half, %w_half : tensor<2x3xf32>
    %half_l = nlp.reduce_sum %half_p leading 2 : tensor<2x3xf32>
    %x_negative = nlp.read @x_negative : tensor<2x3xf32>
    %y_negative = nlp.scale %x_negative by -3.0 : tensor<2x3xf32>
    %w_negative = nlp.read @w_negative : tensor<2x3xf32>
    %negative_p = nlp.mul %y_negative, %w_negative : tensor<2x3xf32>
    %negative_l = nlp.reduce_sum %negative_p leading 2 : tensor<2x3xf32>
    %sum1 = nlp.add %half_l, %negative_l : tensor<f32>
    nlp.report loss, %sum1 : tensor<f32>
  }
}
