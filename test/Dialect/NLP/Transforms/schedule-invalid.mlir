// RUN: nlp-opt %s -split-input-file -nlp-schedule -verify-diagnostics

nlp.parameter @a : tensor<4xf32> init ones
nlp.step @use_before_definition {
  nlp.segment @update kind update attributes {
      order = #nlp.order<ops = [1, 0], instances = [0, 0]>} {
    %a = nlp.read @a : tensor<4xf32>
    // expected-error @+1 {{runs before its operand of type 'tensor<4xf32>' in the order}}
    %n = nlp.neg %a : tensor<4xf32>
  }
}

// -----

nlp.parameter @a : tensor<4xf32> init ones
nlp.step @write_before_read {
  nlp.segment @update kind update attributes {
      order = #nlp.order<ops = [0, 2, 1], instances = [0, 0, 0]>} {
    %zero = nlp.fill 0.0 : tensor<4xf32>
    %a = nlp.read @a : tensor<4xf32>
    // expected-error @+1 {{runs before 'nlp.read' in the order, but has to see its effect}}
    nlp.assign @a, %zero : tensor<4xf32>
  }
}

// -----

nlp.parameter @a : tensor<4xf32> init ones
nlp.step @missing {
  nlp.segment @update kind update attributes {
      order = #nlp.order<ops = [0], instances = [0]>} {
    %a = nlp.read @a : tensor<4xf32>
    // expected-error @+1 {{is missing in the order}}
    %n = nlp.neg %a : tensor<4xf32>
  }
}

// -----

nlp.step @too_large {
  // expected-error @+1 {{order names op 7, but the segment has 1}}
  nlp.segment @update kind update attributes {
      order = #nlp.order<ops = [0, 7], instances = [0, 0]>} {
    %zero = nlp.fill 0.0 : tensor<4xf32>
  }
}

// -----

nlp.step @crosses {
  nlp.segment @forward_backward kind forward_backward attributes {
      order = #nlp.order<ops = [1, 0], instances = [0, 0]>} {
    // expected-error @+1 {{crosses nlp.turn in the order}}
    %zero = nlp.fill 0.0 : tensor<4xf32>
    nlp.turn
  }
}

// -----

nlp.step @recomputes {
  nlp.segment @update kind update attributes {
      order = #nlp.order<ops = [0, 0], instances = [0, 1]>} {
    // expected-error @+1 {{is recomputed by the order: run nlp-apply-recompute first}}
    %zero = nlp.fill 0.0 : tensor<4xf32>
  }
}
