// The gradients of nlp.layer_norm, of ranks 1 to 3; rows of one element, whose
// result is the bias, get none.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x0 : tensor<2x3x6xf32> init normal scale 1.0
nlp.parameter @weight0 : tensor<6xf32> init normal scale 1.0
nlp.parameter @bias0 : tensor<6xf32> init normal scale 1.0
nlp.parameter @w_r0 : tensor<2x3x6xf32> init normal scale 1.0
nlp.parameter @x1 : tensor<4xf32> init normal scale 1.0
nlp.parameter @weight1 : tensor<4xf32> init normal scale 1.0
nlp.parameter @bias1 : tensor<4xf32> init normal scale 1.0
nlp.parameter @w_r1 : tensor<4xf32> init normal scale 1.0
nlp.parameter @x2 : tensor<3x1xf32> init normal scale 1.0
nlp.parameter @weight2 : tensor<1xf32> init normal scale 1.0
nlp.parameter @bias2 : tensor<1xf32> init normal scale 1.0
nlp.parameter @w_r2 : tensor<3x1xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x0 = nlp.read @x0 : tensor<2x3x6xf32>
    %weight0 = nlp.read @weight0 : tensor<6xf32>
    %bias0 = nlp.read @bias0 : tensor<6xf32>
    %y0, %mean0, %rstd0 = nlp.layer_norm %x0, %weight0, %bias0 eps 1.0e-5
        : tensor<2x3x6xf32>, tensor<6xf32>
    %w_r0 = nlp.read @w_r0 : tensor<2x3x6xf32>
    %r0_p = nlp.mul %y0, %w_r0 : tensor<2x3x6xf32>
    %r0_l = nlp.reduce_sum %r0_p leading 3 : tensor<2x3x6xf32>
    %x1 = nlp.read @x1 : tensor<4xf32>
    %weight1 = nlp.read @weight1 : tensor<4xf32>
    %bias1 = nlp.read @bias1 : tensor<4xf32>
    %y1, %mean1, %rstd1 = nlp.layer_norm %x1, %weight1, %bias1 eps 1.0e-2
        : tensor<4xf32>, tensor<4xf32>
    %w_r1 = nlp.read @w_r1 : tensor<4xf32>
    %r1_p = nlp.mul %y1, %w_r1 : tensor<4xf32>
    %r1_l = nlp.reduce_sum %r1_p leading 1 : tensor<4xf32>
    %x2 = nlp.read @x2 : tensor<3x1xf32>
    %weight2 = nlp.read @weight2 : tensor<1xf32>
    %bias2 = nlp.read @bias2 : tensor<1xf32>
    %y2, %mean2, %rstd2 = nlp.layer_norm %x2, %weight2, %bias2 eps 1.0e-1
        : tensor<3x1xf32>, tensor<1xf32>
    %w_r2 = nlp.read @w_r2 : tensor<3x1xf32>
    %r2_p = nlp.mul %y2, %w_r2 : tensor<3x1xf32>
    %r2_l = nlp.reduce_sum %r2_p leading 2 : tensor<3x1xf32>
    %sum1 = nlp.add %r0_l, %r1_l : tensor<f32>
    %sum2 = nlp.add %sum1, %r2_l : tensor<f32>
    nlp.report loss, %sum2 : tensor<f32>
  }
}
