// The gradients of nlp.linear: layouts, with and without bias, ranks 1 to 4.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x0 : tensor<2x3x4xf32> init normal scale 1.0
nlp.parameter @weight0 : tensor<4x5xf32> init normal scale 1.0
nlp.parameter @bias0 : tensor<5xf32> init normal scale 1.0
nlp.parameter @w_r0 : tensor<2x3x5xf32> init normal scale 1.0
nlp.parameter @x1 : tensor<3x4xf32> init normal scale 1.0
nlp.parameter @weight1 : tensor<2x4xf32> init normal scale 1.0
nlp.parameter @bias1 : tensor<2xf32> init normal scale 1.0
nlp.parameter @w_r1 : tensor<3x2xf32> init normal scale 1.0
nlp.parameter @x2 : tensor<2x1x2x3xf32> init normal scale 1.0
nlp.parameter @weight2 : tensor<3x4xf32> init normal scale 1.0
nlp.parameter @w_r2 : tensor<2x1x2x4xf32> init normal scale 1.0
nlp.parameter @x3 : tensor<5xf32> init normal scale 1.0
nlp.parameter @weight3 : tensor<3x5xf32> init normal scale 1.0
nlp.parameter @w_r3 : tensor<3xf32> init normal scale 1.0
nlp.parameter @x4 : tensor<2xf32> init normal scale 1.0
nlp.parameter @weight4 : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @bias4 : tensor<3xf32> init normal scale 1.0
nlp.parameter @w_r4 : tensor<3xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    // in_out, a bias, rank 3.
    %x0 = nlp.read @x0 : tensor<2x3x4xf32>
    %weight0 = nlp.read @weight0 : tensor<4x5xf32>
    %bias0 = nlp.read @bias0 : tensor<5xf32>
    %y0 = nlp.linear %x0, %weight0 bias %bias0 layout in_out
        : tensor<2x3x4xf32>, tensor<4x5xf32>, tensor<5xf32>
    %w_r0 = nlp.read @w_r0 : tensor<2x3x5xf32>
    %r0_p = nlp.mul %y0, %w_r0 : tensor<2x3x5xf32>
    %r0_l = nlp.reduce_sum %r0_p leading 3 : tensor<2x3x5xf32>
    // out_in, a bias, rank 2.
    %x1 = nlp.read @x1 : tensor<3x4xf32>
    %weight1 = nlp.read @weight1 : tensor<2x4xf32>
    %bias1 = nlp.read @bias1 : tensor<2xf32>
    %y1 = nlp.linear %x1, %weight1 bias %bias1 layout out_in
        : tensor<3x4xf32>, tensor<2x4xf32>, tensor<2xf32>
    %w_r1 = nlp.read @w_r1 : tensor<3x2xf32>
    %r1_p = nlp.mul %y1, %w_r1 : tensor<3x2xf32>
    %r1_l = nlp.reduce_sum %r1_p leading 2 : tensor<3x2xf32>
    // in_out, no bias, rank 4.
    %x2 = nlp.read @x2 : tensor<2x1x2x3xf32>
    %weight2 = nlp.read @weight2 : tensor<3x4xf32>
    %y2 = nlp.linear %x2, %weight2 layout in_out
        : tensor<2x1x2x3xf32>, tensor<3x4xf32>
    %w_r2 = nlp.read @w_r2 : tensor<2x1x2x4xf32>
    %r2_p = nlp.mul %y2, %w_r2 : tensor<2x1x2x4xf32>
    %r2_l = nlp.reduce_sum %r2_p leading 4 : tensor<2x1x2x4xf32>
    // out_in, no bias, rank 1.
    %x3 = nlp.read @x3 : tensor<5xf32>
    %weight3 = nlp.read @weight3 : tensor<3x5xf32>
    %y3 = nlp.linear %x3, %weight3 layout out_in
        : tensor<5xf32>, tensor<3x5xf32>
    %w_r3 = nlp.read @w_r3 : tensor<3xf32>
    %r3_p = nlp.mul %y3, %w_r3 : tensor<3xf32>
    %r3_l = nlp.reduce_sum %r3_p leading 1 : tensor<3xf32>
    // in_out, a bias, rank 1.
    %x4 = nlp.read @x4 : tensor<2xf32>
    %weight4 = nlp.read @weight4 : tensor<2x3xf32>
    %bias4 = nlp.read @bias4 : tensor<3xf32>
    %y4 = nlp.linear %x4, %weight4 bias %bias4 layout in_out
        : tensor<2xf32>, tensor<2x3xf32>, tensor<3xf32>
    %w_r4 = nlp.read @w_r4 : tensor<3xf32>
    %r4_p = nlp.mul %y4, %w_r4 : tensor<3xf32>
    %r4_l = nlp.reduce_sum %r4_p leading 1 : tensor<3xf32>
    %sum1 = nlp.add %r0_l, %r1_l : tensor<f32>
    %sum2 = nlp.add %sum1, %r2_l : tensor<f32>
    %sum3 = nlp.add %sum2, %r3_l : tensor<f32>
    %sum4 = nlp.add %sum3, %r4_l : tensor<f32>
    nlp.report loss, %sum4 : tensor<f32>
  }
}
