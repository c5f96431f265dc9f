// The gradient of nlp.rope, forwards and inverse.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x0 : tensor<2x3x2x4xf32> init normal scale 1.0
nlp.parameter @w_r0 : tensor<2x3x2x4xf32> init normal scale 1.0
nlp.parameter @x1 : tensor<1x5x1x2xf32> init normal scale 1.0
nlp.parameter @w_r1 : tensor<1x5x1x2xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x0 = nlp.read @x0 : tensor<2x3x2x4xf32>
    %y0 = nlp.rope %x0 frequencies [1.0, 0.1] : tensor<2x3x2x4xf32>
    %w_r0 = nlp.read @w_r0 : tensor<2x3x2x4xf32>
    %r0_p = nlp.mul %y0, %w_r0 : tensor<2x3x2x4xf32>
    %r0_l = nlp.reduce_sum %r0_p leading 4 : tensor<2x3x2x4xf32>
    %x1 = nlp.read @x1 : tensor<1x5x1x2xf32>
    %y1 = nlp.rope %x1 frequencies [0.7] {inverse = true} : tensor<1x5x1x2xf32>
    %w_r1 = nlp.read @w_r1 : tensor<1x5x1x2xf32>
    %r1_p = nlp.mul %y1, %w_r1 : tensor<1x5x1x2xf32>
    %r1_l = nlp.reduce_sum %r1_p leading 4 : tensor<1x5x1x2xf32>
    %sum1 = nlp.add %r0_l, %r1_l : tensor<f32>
    nlp.report loss, %sum1 : tensor<f32>
  }
}
