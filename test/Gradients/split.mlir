// The gradient of nlp.split, with a part that nothing uses.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x : tensor<2x6xf32> init normal scale 1.0
nlp.parameter @w_a : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_c : tensor<2x2xf32> init normal scale 1.0
nlp.parameter @y : tensor<3x2x2xf32> init normal scale 1.0
nlp.parameter @w_d : tensor<1x2x2xf32> init normal scale 1.0
nlp.parameter @w_e : tensor<2x2x2xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %a, %b, %c = nlp.split %x dim 1 [3, 1, 2] : tensor<2x6xf32>
    // The middle part is not used: its gradient is zero.
    %w_a = nlp.read @w_a : tensor<2x3xf32>
    %a_p = nlp.mul %a, %w_a : tensor<2x3xf32>
    %a_l = nlp.reduce_sum %a_p leading 2 : tensor<2x3xf32>
    %w_c = nlp.read @w_c : tensor<2x2xf32>
    %c_p = nlp.mul %c, %w_c : tensor<2x2xf32>
    %c_l = nlp.reduce_sum %c_p leading 2 : tensor<2x2xf32>
    %y = nlp.read @y : tensor<3x2x2xf32>
    %d, %e = nlp.split %y dim 0 [1, 2] : tensor<3x2x2xf32>
    %w_d = nlp.read @w_d : tensor<1x2x2xf32>
    %d_p = nlp.mul %d, %w_d : tensor<1x2x2xf32>
    %d_l = nlp.reduce_sum %d_p leading 3 : tensor<1x2x2xf32>
    %w_e = nlp.read @w_e : tensor<2x2x2xf32>
    %e_p = nlp.mul %e, %w_e : tensor<2x2x2xf32>
    %e_l = nlp.reduce_sum %e_p leading 3 : tensor<2x2x2xf32>
    %sum1 = nlp.add %a_l, %c_l : tensor<f32>
    %sum2 = nlp.add %sum1, %d_l : tensor<f32>
    %sum3 = nlp.add %sum2, %e_l : tensor<f32>
    nlp.report loss, %sum3 : tensor<f32>
  }
}
