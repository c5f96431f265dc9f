// RUN: nlp-opt %s -split-input-file -nlp-verify-phase=phase=graph \
// RUN:   -verify-diagnostics

// Ids go up to 8, so that a table of 7 rows does not do.
nlp.parameter @table : tensor<7x4xf32> init ones
nlp.step @table_rows attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 3, vocab_size = 9>} {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<2x3xi32>
    %table = nlp.read @table : tensor<7x4xf32>
    // expected-error @+1 {{expected 9 rows or more, the vocabulary of the model, but got 7}}
    %e = nlp.embedding %table, %ids : tensor<7x4xf32>, tensor<2x3xi32>
    %loss = nlp.reduce_sum %e leading 3 : tensor<2x3x4xf32>
    nlp.report loss, %loss : tensor<f32>
  }
}

// -----

// So do targets, in whatever shape; a padded table may have more rows.
nlp.parameter @table : tensor<16x4xf32> init ones
nlp.parameter @logits : tensor<6x8xf32> init ones
nlp.step @logits_rows attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 3, vocab_size = 9>} {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<2x3xi32>
    %table = nlp.read @table : tensor<16x4xf32>
    %e = nlp.embedding %table, %ids : tensor<16x4xf32>, tensor<2x3xi32>
    %targets = nlp.input targets : tensor<2x3xi32>
    %flat = nlp.reshape %targets : tensor<2x3xi32> -> tensor<6xi32>
    %logits = nlp.read @logits : tensor<6x8xf32>
    // expected-error @+1 {{expected 9 rows or more, the vocabulary of the model, but got 8}}
    %loss, %lse = nlp.cross_entropy %logits, %flat normalizer 6.0
        : tensor<6x8xf32>, tensor<6xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}

// -----

nlp.parameter @w : tensor<f32> init ones
nlp.step @length attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 3, vocab_size = 9>} {
  nlp.segment @forward kind forward {
    // expected-error @+1 {{expected sequences of 3 tokens, as the model has, but got 5}}
    %ids = nlp.input tokens : tensor<2x5xi32>
    %w = nlp.read @w : tensor<f32>
    nlp.report loss, %w : tensor<f32>
  }
}
