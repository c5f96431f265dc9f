// The gradient of nlp.broadcast: of vectors, matrices, a scalar, and to the same
// shape.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x0 : tensor<3xf32> init normal scale 1.0
nlp.parameter @w_r0 : tensor<2x4x3xf32> init normal scale 1.0
nlp.parameter @x1 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_r1 : tensor<5x2x3xf32> init normal scale 1.0
nlp.parameter @x2 : tensor<2x2xf32> init normal scale 1.0
nlp.parameter @w_r2 : tensor<2x2xf32> init normal scale 1.0
nlp.parameter @one : tensor<1xf32> init normal scale 1.0
nlp.parameter @w_r3 : tensor<2x3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x0 = nlp.read @x0 : tensor<3xf32>
    %y0 = nlp.broadcast %x0 : tensor<3xf32> -> tensor<2x4x3xf32>
    %w_r0 = nlp.read @w_r0 : tensor<2x4x3xf32>
    %r0_p = nlp.mul %y0, %w_r0 : tensor<2x4x3xf32>
    %r0_l = nlp.reduce_sum %r0_p leading 3 : tensor<2x4x3xf32>
    %x1 = nlp.read @x1 : tensor<2x3xf32>
    %y1 = nlp.broadcast %x1 : tensor<2x3xf32> -> tensor<5x2x3xf32>
    %w_r1 = nlp.read @w_r1 : tensor<5x2x3xf32>
    %r1_p = nlp.mul %y1, %w_r1 : tensor<5x2x3xf32>
    %r1_l = nlp.reduce_sum %r1_p leading 3 : tensor<5x2x3xf32>
    %x2 = nlp.read @x2 : tensor<2x2xf32>
    %y2 = nlp.broadcast %x2 : tensor<2x2xf32> -> tensor<2x2xf32>
    %w_r2 = nlp.read @w_r2 : tensor<2x2xf32>
    %r2_p = nlp.mul %y2, %w_r2 : tensor<2x2xf32>
    %r2_l = nlp.reduce_sum %r2_p leading 2 : tensor<2x2xf32>
    %one = nlp.read @one : tensor<1xf32>
    %scalar = nlp.reshape %one : tensor<1xf32> -> tensor<f32>
    %y3 = nlp.broadcast %scalar : tensor<f32> -> tensor<2x3xf32>
    %w_r3 = nlp.read @w_r3 : tensor<2x3xf32>
    %r3_p = nlp.mul %y3, %w_r3 : tensor<2x3xf32>
    %r3_l = nlp.reduce_sum %r3_p leading 2 : tensor<2x3xf32>
    %sum1 = nlp.add %r0_l, %r1_l : tensor<f32>
    %sum2 = nlp.add %sum1, %r2_l : tensor<f32>
    %sum3 = nlp.add %sum2, %r3_l : tensor<f32>
    nlp.report loss, %sum3 : tensor<f32>
  }
}
