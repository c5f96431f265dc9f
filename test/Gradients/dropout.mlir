// The gradient of nlp.dropout keeps and drops the same elements.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8 --seed=3

nlp.parameter @x0 : tensor<2x3x4xf32> init normal scale 1.0
nlp.parameter @w_r0 : tensor<2x3x4xf32> init normal scale 1.0
nlp.parameter @x1 : tensor<3x8xf32> init normal scale 1.0
nlp.parameter @w_r1 : tensor<3x8xf32> init normal scale 1.0
nlp.parameter @x2 : tensor<5xf32> init normal scale 1.0
nlp.parameter @w_r2 : tensor<5xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %seed = nlp.runtime_scalar step_seed : tensor<i64>
    %first = nlp.runtime_scalar first_sequence : tensor<i64>
    %x0 = nlp.read @x0 : tensor<2x3x4xf32>
    %y0 = nlp.dropout %x0, %seed, %first rate 0.5 site "h.0" : tensor<2x3x4xf32>
    %w_r0 = nlp.read @w_r0 : tensor<2x3x4xf32>
    %r0_p = nlp.mul %y0, %w_r0 : tensor<2x3x4xf32>
    %r0_l = nlp.reduce_sum %r0_p leading 3 : tensor<2x3x4xf32>
    %x1 = nlp.read @x1 : tensor<3x8xf32>
    %y1 = nlp.dropout %x1, %seed, %first rate 0.1 site "h.1" : tensor<3x8xf32>
    %w_r1 = nlp.read @w_r1 : tensor<3x8xf32>
    %r1_p = nlp.mul %y1, %w_r1 : tensor<3x8xf32>
    %r1_l = nlp.reduce_sum %r1_p leading 2 : tensor<3x8xf32>
    %x2 = nlp.read @x2 : tensor<5xf32>
    %y2 = nlp.dropout %x2, %seed, %first rate 0.0 site "h.2" : tensor<5xf32>
    %w_r2 = nlp.read @w_r2 : tensor<5xf32>
    %r2_p = nlp.mul %y2, %w_r2 : tensor<5xf32>
    %r2_l = nlp.reduce_sum %r2_p leading 1 : tensor<5xf32>
    %sum1 = nlp.add %r0_l, %r1_l : tensor<f32>
    %sum2 = nlp.add %sum1, %r2_l : tensor<f32>
    nlp.report loss, %sum2 : tensor<f32>
  }
}
