// RUN: nlp-opt %s -split-input-file -nlp-apply-loss-chunks -verify-diagnostics

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 3,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @too_many attributes {plan = #plan} {
  // expected-error @+1 {{expected no more loss chunks than the 2 tokens of a micro-batch, but got 3}}
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<1x2xi32>
    %targets = nlp.input targets : tensor<1x2xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x4xf32>, tensor<1x2xi32>
    %h = nlp.linear %x, %wte layout out_in
        : tensor<1x2x4xf32>, tensor<9x4xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 2.0
        : tensor<1x2x9xf32>, tensor<1x2xi32>
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 2,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @no_loss attributes {plan = #plan} {
  // expected-error @+1 {{has no loss that can run in chunks: there is no loss}}
  nlp.segment @evaluate kind evaluate {
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 2,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @cut attributes {plan = #plan} {
  // expected-error @+1 {{is cut at the turn: expected loss chunks to be applied before the schedule}}
  nlp.segment @forward kind forward {
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 2,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @used_forward attributes {plan = #plan} {
  nlp.segment @forward_backward kind forward_backward {
    %ids = nlp.input tokens : tensor<1x2xi32>
    %targets = nlp.input targets : tensor<1x2xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x4xf32>, tensor<1x2xi32>
    %h = nlp.linear %x, %wte layout out_in
        : tensor<1x2x4xf32>, tensor<9x4xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 2.0
        : tensor<1x2x9xf32>, tensor<1x2xi32>
    // expected-error @+1 {{uses the loss before all of its chunks are done}}
    nlp.report loss, %loss : tensor<f32>
    nlp.turn
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 2,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @used_early attributes {plan = #plan} {
  nlp.segment @forward_backward kind forward_backward {
    %ids = nlp.input tokens : tensor<1x2xi32>
    %targets = nlp.input targets : tensor<1x2xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x4xf32>, tensor<1x2xi32>
    %h = nlp.linear %x, %wte layout out_in
        : tensor<1x2x4xf32>, tensor<9x4xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 2.0
        : tensor<1x2x9xf32>, tensor<1x2xi32>
    // expected-error @+1 {{uses the loss before all of its chunks are done}}
    %log = nlp.log %lse : tensor<1x2xf32>
    nlp.turn
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 2,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @needs_effects attributes {plan = #plan} {
  nlp.slot @scale : tensor<f32>
  nlp.segment @forward_backward kind forward_backward {
    %ids = nlp.input tokens : tensor<1x2xi32>
    %targets = nlp.input targets : tensor<1x2xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x4xf32>, tensor<1x2xi32>
    %h = nlp.linear %x, %wte layout out_in
        : tensor<1x2x4xf32>, tensor<9x4xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 2.0
        : tensor<1x2x9xf32>, tensor<1x2xi32>
    nlp.turn
    // expected-error @+1 {{gives the loss what it needs, but cannot run before it}}
    %one = nlp.slot_load @scale : tensor<f32>
    %dh = nlp.cross_entropy_grad %one, %h, %targets, %lse normalizer 2.0
        : tensor<1x2x9xf32>, tensor<1x2xi32>, tensor<1x2xf32>
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 2,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @wrong_order attributes {plan = #plan} {
  // expected-error @+1 {{order names op 8, but the segment has 7}}
  nlp.segment @evaluate kind evaluate attributes {
      order = #nlp.order<ops = [8], instances = [0]>} {
    %ids = nlp.input tokens : tensor<1x2xi32>
    %targets = nlp.input targets : tensor<1x2xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x4xf32>, tensor<1x2xi32>
    %h = nlp.linear %x, %wte layout out_in
        : tensor<1x2x4xf32>, tensor<9x4xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 2.0
        : tensor<1x2x9xf32>, tensor<1x2xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}
