// The gradients of nlp.sub.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @x : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @y : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_two : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @z : tensor<4xf32> init normal scale 1.0
nlp.parameter @w_twice : tensor<4xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %x = nlp.read @x : tensor<2x3xf32>
    %y = nlp.read @y : tensor<2x3xf32>
    // Two operands, and one twice.
    %two = nlp.sub %x, %y : tensor<2x3xf32>
    %w_two = nlp.read @w_two : tensor<2x3xf32>
    %two_p = nlp.mul %two, %w_two : tensor<2x3xf32>
    %two_l = nlp.reduce_sum %two_p leading 2 : tensor<2x3xf32>
    %z = nlp.read @z : tensor<4xf32>
    %twice = nlp.sub %z, %z : tensor<4xf32>
    %again = nlp.sub %twice, %z : tensor<4xf32>
    %w_twice = nlp.read @w_twice : tensor<4xf32>
    %twice_p = nlp.mul %again, %w_twice : tensor<4xf32>
    %twice_l = nlp.reduce_sum %twice_p leading 1 : tensor<4xf32>
    %sum1 = nlp.add %two_l, %twice_l : tensor<f32>
    nlp.report loss, %sum1 : tensor<f32>
  }
}
