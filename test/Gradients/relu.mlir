// The gradient of nlp.relu.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x_relu : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_relu : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x_relu = nlp.read @x_relu : tensor<2x3xf32>
    %y_relu = nlp.relu %x_relu : tensor<2x3xf32>
    %w_relu = nlp.read @w_relu : tensor<2x3xf32>
    %relu_p = nlp.mul %y_relu, %w_relu : tensor<2x3xf32>
    %relu_l = nlp.reduce_sum %relu_p leading 2 : tensor<2x3xf32>
    nlp.report loss, %relu_l : tensor<f32>
  }
}
