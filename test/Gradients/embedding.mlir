// The gradient of nlp.embedding: ten ids of seven rows, so that some repeat and
// some may be missing; and a table that is read twice.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8,21

nlp.parameter @table : tensor<7x3xf32> init normal scale 1.0
nlp.parameter @w_y : tensor<2x5x3xf32> init normal scale 1.0
nlp.parameter @x : tensor<2x3xf32> init normal scale 1.0
nlp.parameter @w_z : tensor<2x7xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<2x5xi32>
    %table = nlp.read @table : tensor<7x3xf32>
    %y = nlp.embedding %table, %ids : tensor<7x3xf32>, tensor<2x5xi32>
    %w_y = nlp.read @w_y : tensor<2x5x3xf32>
    %y_p = nlp.mul %y, %w_y : tensor<2x5x3xf32>
    %y_l = nlp.reduce_sum %y_p leading 3 : tensor<2x5x3xf32>
    // The same table once more, as a tied weight is read.
    %again = nlp.read @table : tensor<7x3xf32>
    %x = nlp.read @x : tensor<2x3xf32>
    %z = nlp.linear %x, %again layout out_in : tensor<2x3xf32>, tensor<7x3xf32>
    %w_z = nlp.read @w_z : tensor<2x7xf32>
    %z_p = nlp.mul %z, %w_z : tensor<2x7xf32>
    %z_l = nlp.reduce_sum %z_p leading 2 : tensor<2x7xf32>
    %sum1 = nlp.add %y_l, %z_l : tensor<f32>
    nlp.report loss, %sum1 : tensor<f32>
  }
}
