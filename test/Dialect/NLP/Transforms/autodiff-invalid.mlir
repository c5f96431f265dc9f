// RUN: nlp-opt %s -split-input-file -nlp-autodiff -verify-diagnostics

nlp.parameter @w : tensor<f32> init ones {frozen}
nlp.step @frozen {
  // expected-error @+1 {{expected a loss that depends on a trainable parameter}}
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<f32>
    nlp.report loss, %w : tensor<f32>
  }
}

// -----

nlp.parameter @w : tensor<f32> init ones
nlp.step @no_report {
  // expected-error @+1 {{expected nlp.report loss at the end, and no other report}}
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<f32>
  }
}

// -----

// expected-error @+1 {{expected one forward segment, but got 0}}
nlp.step @no_forward {
  nlp.segment @update kind update {
  }
}

// -----

nlp.parameter @w : tensor<2x3xf32> init ones
nlp.parameter @g : tensor<3xf32> init ones
nlp.step @statistic {
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<2x3xf32>
    %g = nlp.read @g : tensor<3xf32>
    // expected-error @+1 {{expected no gradient of result 1, a statistic, but the loss depends on it}}
    %y, %rstd = nlp.rms_norm %w, %g eps 1.0e-5
        : tensor<2x3xf32>, tensor<3xf32>
    %loss = nlp.reduce_sum %rstd leading 1 : tensor<2xf32>
    nlp.report loss, %loss : tensor<f32>
  }
}

// -----

nlp.parameter @w : tensor<2xf32> init ones
nlp.step @not_differentiable {
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<2xf32>
    // expected-error @+1 {{expected an op that has a gradient between parameters and loss}}
    %g = nlp.relu_grad %w, %w : tensor<2xf32>
    %loss = nlp.reduce_sum %g leading 1 : tensor<2xf32>
    nlp.report loss, %loss : tensor<f32>
  }
}

// -----

nlp.parameter @w : tensor<f32> init ones
nlp.step @one {
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<f32>
    nlp.report loss, %w : tensor<f32>
  }
}
// expected-error @+1 {{expected one step in a module}}
nlp.step @two {
}
