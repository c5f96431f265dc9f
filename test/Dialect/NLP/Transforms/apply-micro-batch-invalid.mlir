// RUN: nlp-opt %s -split-input-file -nlp-apply-micro-batch -verify-diagnostics

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 4, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
// expected-error @+1 {{expected a micro-batch that divides the batch of 6 sequences, but got 4}}
nlp.step @does_not_divide attributes {plan = #plan, schedule = []} {
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<6x5xi32>
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.step @different_inputs attributes {plan = #plan, schedule = []} {
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<6x5xi32>
    // expected-error @+1 {{expected 6 sequences as in other inputs, but got 4}}
    %targets = nlp.input targets : tensor<4x5xi32>
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @w : tensor<6x5x2xf32> init ones
nlp.parameter @wte : tensor<9x2xf32> init ones
nlp.step @parameter attributes {plan = #plan, schedule = []} {
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<6x5xi32>
    %wte = nlp.read @wte : tensor<9x2xf32>
    // expected-error @+1 {{cannot run on a part of the batch}}
    %w = nlp.read @w : tensor<6x5x2xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x2xf32>, tensor<6x5xi32>
    %y = nlp.add %x, %w : tensor<6x5x2xf32>
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x2xf32> init ones
nlp.step @whole attributes {plan = #plan, schedule = []} {
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<6x5xi32>
    %wte = nlp.read @wte : tensor<9x2xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x2xf32>, tensor<6x5xi32>
    // expected-error @+1 {{cannot run on a part of the batch: expected all of dimension 0 of 'tensor<6x5x2xf32>'}}
    %y = nlp.slice %x dim 0 from 1 size 5 : tensor<6x5x2xf32>
  }
}

// -----

// [6, 5] transposed and merged has the batch inside of positions.
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x2xf32> init ones
nlp.step @inside attributes {plan = #plan, schedule = []} {
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<6x5xi32>
    %wte = nlp.read @wte : tensor<9x2xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x2xf32>, tensor<6x5xi32>
    %t = nlp.transpose %x [1, 0, 2] : tensor<6x5x2xf32>
    // expected-error @+1 {{cannot run on a part of the batch: dimension 0 of 'tensor<30x2xf32>' has the batch inside of it}}
    %r = nlp.reshape %t : tensor<5x6x2xf32> -> tensor<30x2xf32>
  }
}

// -----

// exp(a + b) is not exp(a) + exp(b).
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x2xf32> init ones
nlp.step @not_linear attributes {plan = #plan, schedule = []} {
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<6x5xi32>
    %wte = nlp.read @wte : tensor<9x2xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x2xf32>, tensor<6x5xi32>
    %s = nlp.reduce_sum %x leading 2 : tensor<6x5x2xf32>
    %scaled = nlp.scale %s by 0.5 : tensor<2xf32>
    // expected-error @+1 {{needs a sum over the whole batch, of which a micro-batch only gives a part}}
    %e = nlp.exp %scaled : tensor<2xf32>
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @w : tensor<2xf32> init ones
nlp.step @counted_twice attributes {plan = #plan, schedule = []} {
  nlp.slot @grad : tensor<2xf32> {accumulate}
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<6x5xi32>
    %w = nlp.read @w : tensor<2xf32>
    // expected-error @+1 {{would add the same value once for each micro-batch: expected a sum over the batch}}
    nlp.slot_accumulate @grad, %w : tensor<2xf32>
  }
}
