// The gradients of nlp.attention: all masks; as many key heads as query heads,
// fewer (grouped), one; more keys than queries.
// RUN: nlp-opt %s -nlp-autodiff | nlp-interpret - --check-gradients=1e-3,1e-8

nlp.parameter @q_causal : tensor<2x4x2x3xf32> init normal scale 1.0
nlp.parameter @k_causal : tensor<2x4x2x3xf32> init normal scale 1.0
nlp.parameter @v_causal : tensor<2x4x2x3xf32> init normal scale 1.0
nlp.parameter @w_causal : tensor<2x4x2x3xf32> init normal scale 1.0
nlp.parameter @q_grouped : tensor<1x3x4x2xf32> init normal scale 1.0
nlp.parameter @k_grouped : tensor<1x3x2x2xf32> init normal scale 1.0
nlp.parameter @v_grouped : tensor<1x3x2x2xf32> init normal scale 1.0
nlp.parameter @w_grouped : tensor<1x3x4x2xf32> init normal scale 1.0
nlp.parameter @q_window : tensor<1x5x2x2xf32> init normal scale 1.0
nlp.parameter @k_window : tensor<1x5x1x2xf32> init normal scale 1.0
nlp.parameter @v_window : tensor<1x5x1x2xf32> init normal scale 1.0
nlp.parameter @w_window : tensor<1x5x2x2xf32> init normal scale 1.0
nlp.parameter @q_all : tensor<1x3x2x2xf32> init normal scale 1.0
nlp.parameter @k_all : tensor<1x5x2x2xf32> init normal scale 1.0
nlp.parameter @v_all : tensor<1x5x2x2xf32> init normal scale 1.0
nlp.parameter @w_all : tensor<1x3x2x2xf32> init normal scale 1.0

nlp.step @train {
  nlp.segment @forward kind forward {
    %q_causal = nlp.read @q_causal : tensor<2x4x2x3xf32>
    %k_causal = nlp.read @k_causal : tensor<2x4x2x3xf32>
    %v_causal = nlp.read @v_causal : tensor<2x4x2x3xf32>
    %y_causal, %lse_causal = nlp.attention causal %q_causal, %k_causal, %v_causal scale 0.6
        : tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>
    %w_causal = nlp.read @w_causal : tensor<2x4x2x3xf32>
    %causal_p = nlp.mul %y_causal, %w_causal : tensor<2x4x2x3xf32>
    %causal_l = nlp.reduce_sum %causal_p leading 4 : tensor<2x4x2x3xf32>
    %q_grouped = nlp.read @q_grouped : tensor<1x3x4x2xf32>
    %k_grouped = nlp.read @k_grouped : tensor<1x3x2x2xf32>
    %v_grouped = nlp.read @v_grouped : tensor<1x3x2x2xf32>
    %y_grouped, %lse_grouped = nlp.attention causal %q_grouped, %k_grouped, %v_grouped scale 0.6
        : tensor<1x3x4x2xf32>, tensor<1x3x2x2xf32>
    %w_grouped = nlp.read @w_grouped : tensor<1x3x4x2xf32>
    %grouped_p = nlp.mul %y_grouped, %w_grouped : tensor<1x3x4x2xf32>
    %grouped_l = nlp.reduce_sum %grouped_p leading 4 : tensor<1x3x4x2xf32>
    %q_window = nlp.read @q_window : tensor<1x5x2x2xf32>
    %k_window = nlp.read @k_window : tensor<1x5x1x2xf32>
    %v_window = nlp.read @v_window : tensor<1x5x1x2xf32>
    %y_window, %lse_window = nlp.attention sliding_window %q_window, %k_window, %v_window scale 0.6 {window = 2 : i64}
        : tensor<1x5x2x2xf32>, tensor<1x5x1x2xf32>
    %w_window = nlp.read @w_window : tensor<1x5x2x2xf32>
    %window_p = nlp.mul %y_window, %w_window : tensor<1x5x2x2xf32>
    %window_l = nlp.reduce_sum %window_p leading 4 : tensor<1x5x2x2xf32>
    %q_all = nlp.read @q_all : tensor<1x3x2x2xf32>
    %k_all = nlp.read @k_all : tensor<1x5x2x2xf32>
    %v_all = nlp.read @v_all : tensor<1x5x2x2xf32>
    %y_all, %lse_all = nlp.attention bidirectional %q_all, %k_all, %v_all scale 0.6
        : tensor<1x3x2x2xf32>, tensor<1x5x2x2xf32>
    %w_all = nlp.read @w_all : tensor<1x3x2x2xf32>
    %all_p = nlp.mul %y_all, %w_all : tensor<1x3x2x2xf32>
    %all_l = nlp.reduce_sum %all_p leading 4 : tensor<1x3x2x2xf32>
    %sum1 = nlp.add %causal_l, %grouped_l : tensor<f32>
    %sum2 = nlp.add %sum1, %window_l : tensor<f32>
    %sum3 = nlp.add %sum2, %all_l : tensor<f32>
    nlp.report loss, %sum3 : tensor<f32>
  }
}
