// RUN: nlp-opt %s -split-input-file -nlp-apply-update-in-backward \
// RUN:   -verify-diagnostics

// The factor that clips needs the gradient of @b, too.
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0,
                  update_in_backward = true>
nlp.parameter @a : tensor<2xf32> init ones
nlp.parameter @b : tensor<2xf32> init ones
nlp.state @m.a : tensor<2xf32> kind moment
// expected-error @+1 {{expected one micro-batch, and updates of which each needs one gradient, to update in the backward pass}}
nlp.step @clipping attributes {plan = #plan, schedule = [
    #nlp.run<@forward_backward, 0>, #nlp.run<@update, 0>]} {
  nlp.slot @grad.a : tensor<2xf32> {accumulate, parameter = @a}
  nlp.slot @grad.b : tensor<2xf32> {accumulate, parameter = @b}
  nlp.segment @forward_backward kind forward_backward {
    nlp.turn
    %d = nlp.fill 1.0 : tensor<2xf32>
    nlp.slot_accumulate @grad.a, %d : tensor<2xf32>
    nlp.slot_accumulate @grad.b, %d : tensor<2xf32>
  }
  nlp.segment @update kind update {
    %grad_a = nlp.slot_load @grad.a : tensor<2xf32>
    %grad_b = nlp.slot_load @grad.b : tensor<2xf32>
    %squares_a = nlp.square_sum %grad_a : tensor<2xf32>
    %squares_b = nlp.square_sum %grad_b : tensor<2xf32>
    %max = nlp.runtime_scalar max_grad_norm : tensor<f64>
    %factor, %norm = nlp.clip_factor %max, %squares_a, %squares_b
        : tensor<1xf64>, tensor<1xf64>
    %rate = nlp.runtime_scalar learning_rate : tensor<f64>
    %momentum = nlp.runtime_scalar momentum : tensor<f64>
    %a = nlp.read @a : tensor<2xf32>
    %m = nlp.read @m.a : tensor<2xf32>
    %new, %new_m = nlp.sgd %a, %grad_a velocity %m factor %factor
        scalars %rate, %momentum : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    nlp.assign @a, %new : tensor<2xf32>
    nlp.assign @m.a, %new_m : tensor<2xf32>
  }
}

// -----

// After the first of two micro-batches the gradient is not complete.
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0,
                  update_in_backward = true>
nlp.parameter @a : tensor<2xf32> init ones
// expected-error @+1 {{expected one micro-batch}}
nlp.step @micro_batches attributes {plan = #plan, schedule = [
    #nlp.run<@forward_backward, 0>, #nlp.run<@forward_backward, 1>,
    #nlp.run<@update, 0>]} {
  nlp.slot @grad.a : tensor<2xf32> {accumulate, parameter = @a}
  nlp.segment @forward_backward kind forward_backward {
    nlp.turn
    %d = nlp.fill 1.0 : tensor<2xf32>
    nlp.slot_accumulate @grad.a, %d : tensor<2xf32>
  }
  nlp.segment @update kind update {
    %grad = nlp.slot_load @grad.a : tensor<2xf32>
    nlp.assign @a, %grad : tensor<2xf32>
  }
}

// -----

// The update of @a reads @b, which another part assigns.
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0,
                  update_in_backward = true>
nlp.parameter @a : tensor<2xf32> init ones
nlp.parameter @b : tensor<2xf32> init ones
// expected-error @+1 {{expected one micro-batch, and updates of which each needs one gradient}}
nlp.step @other_parameter attributes {plan = #plan, schedule = [
    #nlp.run<@forward_backward, 0>, #nlp.run<@update, 0>]} {
  nlp.slot @grad.a : tensor<2xf32> {accumulate, parameter = @a}
  nlp.slot @grad.b : tensor<2xf32> {accumulate, parameter = @b}
  nlp.segment @forward_backward kind forward_backward {
    nlp.turn
    %d = nlp.fill 1.0 : tensor<2xf32>
    nlp.slot_accumulate @grad.a, %d : tensor<2xf32>
    nlp.slot_accumulate @grad.b, %d : tensor<2xf32>
  }
  nlp.segment @update kind update {
    %grad_a = nlp.slot_load @grad.a : tensor<2xf32>
    %grad_b = nlp.slot_load @grad.b : tensor<2xf32>
    %b = nlp.read @b : tensor<2xf32>
    %sum = nlp.add %b, %grad_a : tensor<2xf32>
    nlp.assign @a, %sum : tensor<2xf32>
    nlp.assign @b, %grad_b : tensor<2xf32>
  }
}

// -----

// An order counts the ops that are there now.
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0,
                  update_in_backward = true>
nlp.step @order attributes {plan = #plan, schedule = [
    #nlp.run<@forward_backward, 0>, #nlp.run<@update, 0>]} {
  // expected-error @+1 {{expected its order to be carried out by nlp-schedule before updates are moved into it}}
  nlp.segment @forward_backward kind forward_backward
      attributes {order = #nlp.order<ops = [0], instances = [0]>} {
    nlp.turn
  }
  nlp.segment @update kind update {
  }
}
