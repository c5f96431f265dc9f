// The gradients of nlp.concat: a part used twice, and one that is frozen.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @a : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @b : tensor<2x1xf32> init normal scale 1.0
nlp.parameter @w_y : tensor<2x7xf32> init normal scale 1.0
nlp.parameter @c : tensor<1x2x2xf32> init normal scale 1.0
nlp.parameter @frozen : tensor<2x2x2xf32> init normal scale 1.0 {frozen}
nlp.parameter @w_z : tensor<3x2x2xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %a = nlp.read @a : tensor<2x3xf32>
    %b = nlp.read @b : tensor<2x1xf32>
    %y = nlp.concat %a, %b, %a dim 1
        : tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>
    %w_y = nlp.read @w_y : tensor<2x7xf32>
    %y_p = nlp.mul %y, %w_y : tensor<2x7xf32>
    %y_l = nlp.reduce_sum %y_p leading 2 : tensor<2x7xf32>
    %c = nlp.read @c : tensor<1x2x2xf32>
    %frozen = nlp.read @frozen : tensor<2x2x2xf32>
    // A part that needs no gradient.
    %z = nlp.concat %frozen, %c dim 0 : tensor<2x2x2xf32>, tensor<1x2x2xf32>
    %w_z = nlp.read @w_z : tensor<3x2x2xf32>
    %z_p = nlp.mul %z, %w_z : tensor<3x2x2xf32>
    %z_l = nlp.reduce_sum %z_p leading 3 : tensor<3x2x2xf32>
    %sum1 = nlp.add %y_l, %z_l : tensor<f32>
    nlp.report loss, %sum1 : tensor<f32>
  }
}
