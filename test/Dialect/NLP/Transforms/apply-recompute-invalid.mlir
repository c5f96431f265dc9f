// RUN: nlp-opt %s -split-input-file -nlp-apply-recompute -verify-diagnostics

nlp.parameter @w : tensor<4xf32> init ones
nlp.step @offload {
  nlp.segment @forward_backward kind forward_backward {
    %x = nlp.read @w : tensor<4xf32>
    // expected-error @+1 {{storage 'offload' is not supported yet}}
    %h = nlp.exp %x {plan = #nlp.op_plan<storage = [offload]>} : tensor<4xf32>
    nlp.turn
  }
}

// -----

nlp.parameter @w : tensor<4xf32> init ones
nlp.step @backward {
  nlp.segment @forward_backward kind forward_backward {
    %x = nlp.read @w : tensor<4xf32>
    nlp.turn
    // expected-error @+1 {{is marked 'recompute' outside of the forward pass of a forward_backward segment}}
    %h = nlp.exp %x {plan = #nlp.op_plan<storage = [recompute]>} : tensor<4xf32>
  }
}

// -----

nlp.parameter @w : tensor<4xf32> init ones
nlp.step @not_marked {
  nlp.segment @forward_backward kind forward_backward attributes {
      order = #nlp.order<ops = [0, 1, 2, 3, 1], instances = [0, 0, 0, 0, 1]>} {
    %x = nlp.read @w : tensor<4xf32>
    // expected-error @+1 {{expected recomputations of ops that are marked 'recompute' only, and after nlp.turn}}
    %h = nlp.exp %x : tensor<4xf32>
    %y = nlp.exp %x {plan = #nlp.op_plan<storage = [recompute]>} : tensor<4xf32>
    nlp.turn
  }
}

// -----

nlp.parameter @w : tensor<4xf32> init ones
nlp.step @not_recomputed {
  nlp.segment @forward_backward kind forward_backward attributes {
      order = #nlp.order<ops = [0, 1, 2, 3], instances = [0, 0, 0, 0]>} {
    %x = nlp.read @w : tensor<4xf32>
    // expected-error @+1 {{is marked 'recompute', but the order never recomputes it}}
    %h = nlp.exp %x {plan = #nlp.op_plan<storage = [recompute]>} : tensor<4xf32>
    nlp.turn
    %y = nlp.exp %h : tensor<4xf32>
  }
}
