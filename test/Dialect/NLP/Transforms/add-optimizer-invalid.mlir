// RUN: nlp-opt %s -split-input-file -nlp-add-optimizer -verify-diagnostics

// expected-error @+1 {{expected one forward_backward segment, but got 0}}
nlp.step @graph {
  nlp.segment @forward kind forward {
  }
}

// -----

// expected-error @+1 {{expected slots that hold gradients}}
nlp.step @no_gradients {
  nlp.segment @forward_backward kind forward_backward {
    nlp.turn
  }
  nlp.segment @update kind update {
  }
}

// -----

// expected-error @+1 {{expected a step without a schedule, as nlp-autodiff leaves it}}
nlp.step @twice attributes {schedule = [#nlp.run<@update, 0>]} {
  nlp.segment @update kind update {
  }
}

// -----

nlp.parameter @w : tensor<3xf32> init ones
// expected-error @+1 {{has the name of a moment of @w}}
nlp.parameter @m.w : tensor<3xf32> init ones
nlp.step @taken {
  nlp.slot @grad.w : tensor<3xf32> {accumulate, parameter = @w}
  nlp.segment @forward_backward kind forward_backward {
    nlp.turn
  }
  nlp.segment @update kind update {
  }
}
