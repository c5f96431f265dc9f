// RUN: nlp-opt %s -split-input-file -nlp-verify-phase=phase=applied \
// RUN:   -verify-diagnostics

// expected-error @+1 {{expected one step, but got 0}}
module {
}

// -----

nlp.parameter @w : tensor<f32> init ones
nlp.step @op_plan attributes {schedule = [#nlp.run<@update, 0>]} {
  nlp.segment @update kind update {
    %w = nlp.read @w : tensor<f32>
    // expected-error @+1 {{expected a plan that is carried out, but got #nlp.op_plan<storage = [recompute]>}}
    %n = nlp.neg %w {plan = #nlp.op_plan<storage = [recompute]>} : tensor<f32>
  }
}

// -----

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 64>
// expected-error @+1 {{expected a plan that is carried out, but got #nlp.plan}}
nlp.step @micro_batch attributes {plan = #plan} {
  nlp.segment @evaluate kind evaluate {
    %0 = nlp.input tokens : tensor<4x5xi32>
  }
}

// -----

// The budget may stay.
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 4, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 64>
// expected-error @+1 {{expected a schedule}}
nlp.step @budget attributes {plan = #plan} {
  nlp.segment @evaluate kind evaluate {
    %0 = nlp.input tokens : tensor<4x5xi32>
  }
}

// -----

nlp.step @order {
  // expected-error @+1 {{expected an order that is carried out}}
  nlp.segment @update kind update attributes {
      order = #nlp.order<ops = [0], instances = [0]>} {
    %zero = nlp.fill 0.0 : tensor<f32>
  }
}

// -----

// expected-error @+1 {{expected the update as the last run, but got #nlp.run<@evaluate, 0>}}
nlp.step @last attributes {schedule = [#nlp.run<@evaluate, 0>]} {
  nlp.segment @update kind update {
  }
  nlp.segment @evaluate kind evaluate {
  }
}

// -----

nlp.step @report attributes {schedule = [#nlp.run<@update, 0>]} {
  // expected-error @+1 {{expected one report of loss, but got 0}}
  nlp.segment @update kind update {
  }
  nlp.segment @evaluate kind evaluate {
  }
}

// -----

nlp.parameter @w : tensor<f32> init ones
nlp.step @unused attributes {schedule = [#nlp.run<@update, 0>]} {
  // expected-error @+1 {{expected a gradient that is accumulated, loaded by the update segment, and used to assign @w}}
  nlp.slot @grad.w : tensor<f32> {accumulate, parameter = @w}
  nlp.segment @update kind update {
    %zero = nlp.fill 0.0 : tensor<f32>
    nlp.report loss, %zero : tensor<f32>
    nlp.report grad_norm, %zero : tensor<f32>
  }
  nlp.segment @evaluate kind evaluate {
    %zero = nlp.fill 0.0 : tensor<f32>
    nlp.report loss, %zero : tensor<f32>
  }
}

// -----

// The backward pass and the update may not both update.
nlp.parameter @w : tensor<f32> init ones
nlp.step @twice attributes {schedule = [
    #nlp.run<@forward_backward, 0>, #nlp.run<@update, 0>]} {
  nlp.slot @grad.w : tensor<f32> {accumulate, parameter = @w}
  nlp.segment @forward_backward kind forward_backward {
    nlp.turn
    %w = nlp.read @w : tensor<f32>
    // expected-error @+1 {{assigns @w again}}
    nlp.assign @w, %w : tensor<f32>
  }
  nlp.segment @update kind update {
    %zero = nlp.fill 0.0 : tensor<f32>
    nlp.report loss, %zero : tensor<f32>
    nlp.report grad_norm, %zero : tensor<f32>
    nlp.assign @w, %zero : tensor<f32>
  }
  nlp.segment @evaluate kind evaluate {
    %zero = nlp.fill 0.0 : tensor<f32>
    nlp.report loss, %zero : tensor<f32>
  }
}

// -----

// Two micro-batches of 4 are 8 sequences, not 12.
// expected-error @+1 {{expected micro-batches of 12 sequences in all, but got 2 of 4}}
nlp.step @batch attributes {
    model = #nlp.model<name = "m", global_batch = 12, seq_len = 5, vocab_size = 9>,
    schedule = [#nlp.run<@update, 1>, #nlp.run<@update, 0>]} {
  nlp.segment @update kind update {
    %zero = nlp.fill 0.0 : tensor<f32>
    nlp.report loss, %zero : tensor<f32>
    nlp.report grad_norm, %zero : tensor<f32>
  }
  nlp.segment @evaluate kind evaluate {
    %0 = nlp.input tokens : tensor<4x5xi32>
    %zero = nlp.fill 0.0 : tensor<f32>
    nlp.report loss, %zero : tensor<f32>
  }
}
