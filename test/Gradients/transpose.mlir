// The gradient of nlp.transpose; one permutation is not its own inverse.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x0 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_r0 : tensor<3x2xf32> init normal scale 1.0
nlp.parameter @x1 : tensor<2x3x4xf32> init normal scale 1.0
nlp.parameter @w_r1 : tensor<4x2x3xf32> init normal scale 1.0
nlp.parameter @x2 : tensor<2x1x3x2xf32> init normal scale 1.0
nlp.parameter @w_r2 : tensor<2x3x1x2xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x0 = nlp.read @x0 : tensor<2x3xf32>
    %y0 = nlp.transpose %x0 [1, 0] : tensor<2x3xf32>
    %w_r0 = nlp.read @w_r0 : tensor<3x2xf32>
    %r0_p = nlp.mul %y0, %w_r0 : tensor<3x2xf32>
    %r0_l = nlp.reduce_sum %r0_p leading 2 : tensor<3x2xf32>
    %x1 = nlp.read @x1 : tensor<2x3x4xf32>
    %y1 = nlp.transpose %x1 [2, 0, 1] : tensor<2x3x4xf32>
    %w_r1 = nlp.read @w_r1 : tensor<4x2x3xf32>
    %r1_p = nlp.mul %y1, %w_r1 : tensor<4x2x3xf32>
    %r1_l = nlp.reduce_sum %r1_p leading 3 : tensor<4x2x3xf32>
    %x2 = nlp.read @x2 : tensor<2x1x3x2xf32>
    %y2 = nlp.transpose %x2 [0, 2, 1, 3] : tensor<2x1x3x2xf32>
    %w_r2 = nlp.read @w_r2 : tensor<2x3x1x2xf32>
    %r2_p = nlp.mul %y2, %w_r2 : tensor<2x3x1x2xf32>
    %r2_l = nlp.reduce_sum %r2_p leading 4 : tensor<2x3x1x2xf32>
    %sum1 = nlp.add %r0_l, %r1_l : tensor<f32>
    %sum2 = nlp.add %sum1, %r2_l : tensor<f32>
    nlp.report loss, %sum2 : tensor<f32>
  }
}
