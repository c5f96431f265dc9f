// The gradient of nlp.cast is the cast back; checked without rounding.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x0 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_r0 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @x1 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_r1 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @x2 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_r2 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @half : tensor<2x2xbf16> init normal scale 1.0
nlp.parameter @w_wide : tensor<2x2xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x0 = nlp.read @x0 : tensor<2x3xf32>
    %y0 = nlp.cast %x0 : tensor<2x3xf32> -> tensor<2x3xbf16>
    %z0 = nlp.mul %y0, %y0 : tensor<2x3xbf16>
    %r0_f32 = nlp.cast %z0 : tensor<2x3xbf16> -> tensor<2x3xf32>
    %w_r0 = nlp.read @w_r0 : tensor<2x3xf32>
    %r0_p = nlp.mul %r0_f32, %w_r0 : tensor<2x3xf32>
    %r0_l = nlp.reduce_sum %r0_p leading 2 : tensor<2x3xf32>
    %x1 = nlp.read @x1 : tensor<2x3xf32>
    %y1 = nlp.cast %x1 : tensor<2x3xf32> -> tensor<2x3xf16>
    %z1 = nlp.mul %y1, %y1 : tensor<2x3xf16>
    %r1_f32 = nlp.cast %z1 : tensor<2x3xf16> -> tensor<2x3xf32>
    %w_r1 = nlp.read @w_r1 : tensor<2x3xf32>
    %r1_p = nlp.mul %r1_f32, %w_r1 : tensor<2x3xf32>
    %r1_l = nlp.reduce_sum %r1_p leading 2 : tensor<2x3xf32>
    %x2 = nlp.read @x2 : tensor<2x3xf32>
    %y2 = nlp.cast %x2 : tensor<2x3xf32> -> tensor<2x3xf64>
    %z2 = nlp.mul %y2, %y2 : tensor<2x3xf64>
    %r2_f32 = nlp.cast %z2 : tensor<2x3xf64> -> tensor<2x3xf32>
    %w_r2 = nlp.read @w_r2 : tensor<2x3xf32>
    %r2_p = nlp.mul %r2_f32, %w_r2 : tensor<2x3xf32>
    %r2_l = nlp.reduce_sum %r2_p leading 2 : tensor<2x3xf32>
    %half = nlp.read @half : tensor<2x2xbf16>
    %wide = nlp.cast %half : tensor<2x2xbf16> -> tensor<2x2xf32>
    %w_wide = nlp.read @w_wide : tensor<2x2xf32>
    %wide_p = nlp.mul %wide, %w_wide : tensor<2x2xf32>
    %wide_l = nlp.reduce_sum %wide_p leading 2 : tensor<2x2xf32>
    %sum1 = nlp.add %r0_l, %r1_l : tensor<f32>
    %sum2 = nlp.add %sum1, %r2_l : tensor<f32>
    %sum3 = nlp.add %sum2, %wide_l : tensor<f32>
    nlp.report loss, %sum3 : tensor<f32>
  }
}
