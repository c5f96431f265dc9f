// RUN: nlp-opt %s -nlp-apply-update-in-backward | FileCheck %s
// RUN: nlp-opt %s -nlp-apply-update-in-backward -convert-nlp-to-nlprt \
// RUN:   -o /dev/null

// @a is read three times: for its own product, for the gradient of what goes
// into that, and by an op that runs again between the two. Its update waits for
// the last of them, although its gradient was there before.
// @b is read once, but its gradient has two contributions.
// What the norm needs goes to the update segment in slots, one value for each
// 16384 elements.

// CHECK-LABEL: nlp.step @step
// CHECK-NOT:     plan =
// CHECK-DAG:     nlp.slot @saved.0 : tensor<1xf64>
// CHECK-DAG:     nlp.slot @saved.1 : tensor<1xf64>
// CHECK:         nlp.segment @forward_backward kind forward_backward {
// CHECK-NOT:       nlp.sgd
// CHECK:           nlp.turn
// CHECK-NOT:       nlp.sgd
// CHECK:           nlp.slot_accumulate @grad.a
// CHECK-NEXT:      %[[AGAIN:.*]] = nlp.linear
// CHECK-NEXT:      %[[DX:.*]] = nlp.linear %{{.*}} layout in_out
// CHECK-NEXT:      %[[GA:.*]] = nlp.slot_load @grad.a
// CHECK-NEXT:      %[[SA:.*]] = nlp.square_sum %[[GA]]
// CHECK-NEXT:      nlp.slot_store @saved.{{[01]}}, %[[SA]]
// CHECK-NEXT:      %[[A:.*]] = nlp.read @a
// CHECK-NEXT:      %[[MA:.*]] = nlp.read @m.a
// CHECK-NEXT:      %[[RATE:.*]] = nlp.runtime_scalar learning_rate
// CHECK-NEXT:      %[[MOMENTUM:.*]] = nlp.runtime_scalar momentum
// CHECK-NEXT:      %[[NEW:.*]], %[[VELOCITY:.*]] = nlp.sgd %[[A]], %[[GA]] velocity %[[MA]] scalars %[[RATE]], %[[MOMENTUM]]
// CHECK-NEXT:      nlp.assign @a, %[[NEW]]
// CHECK-NEXT:      nlp.assign @m.a, %[[VELOCITY]]
// CHECK-NEXT:      nlp.slot_accumulate @grad.b, %[[AGAIN]]
// CHECK-NEXT:      nlp.slot_accumulate @grad.b, %[[DX]]
// CHECK-NEXT:      %[[GB:.*]] = nlp.slot_load @grad.b
// CHECK:           nlp.sgd %{{.*}}, %[[GB]] velocity %{{.*}} scalars %[[RATE]], %[[MOMENTUM]]
// CHECK-NEXT:      nlp.assign @b
// CHECK-NEXT:      nlp.assign @m.b
// CHECK-NEXT:    }
// CHECK-NEXT:    nlp.segment @update kind update {
// CHECK-DAG:       nlp.slot_load @saved.0
// CHECK-DAG:       nlp.slot_load @saved.1
// CHECK:           %{{.*}}, %[[NORM:.*]] = nlp.clip_factor
// CHECK-NEXT:      nlp.report grad_norm, %[[NORM]]
// CHECK-NEXT:    }
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0,
                  update_in_backward = true>
nlp.parameter @a : tensor<8x8xf32> init ones
nlp.parameter @b : tensor<4x8xf32> init ones
nlp.state @m.a : tensor<8x8xf32> kind moment
nlp.state @m.b : tensor<4x8xf32> kind moment
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 1, seq_len = 1, vocab_size = 1>,
    plan = #plan, schedule = [#nlp.run<@forward_backward, 0>,
                              #nlp.run<@update, 0>]} {
  nlp.slot @grad.a : tensor<8x8xf32> {accumulate, parameter = @a}
  nlp.slot @grad.b : tensor<4x8xf32> {accumulate, parameter = @b}
  nlp.segment @forward_backward kind forward_backward {
    %x = nlp.read @b : tensor<4x8xf32>
    %w = nlp.read @a : tensor<8x8xf32>
    nlp.turn
    %dy = nlp.fill 1.0 : tensor<4x8xf32>
    %dw = nlp.linear_weight_grad %x, %dy layout out_in
        : tensor<4x8xf32>, tensor<4x8xf32>
    nlp.slot_accumulate @grad.a, %dw : tensor<8x8xf32>
    %again = nlp.linear %x, %w layout out_in : tensor<4x8xf32>, tensor<8x8xf32>
    %dx = nlp.linear %dy, %w layout in_out : tensor<4x8xf32>, tensor<8x8xf32>
    nlp.slot_accumulate @grad.b, %again : tensor<4x8xf32>
    nlp.slot_accumulate @grad.b, %dx : tensor<4x8xf32>
  }
  nlp.segment @update kind update {
    %grad_a = nlp.slot_load @grad.a : tensor<8x8xf32>
    %grad_b = nlp.slot_load @grad.b : tensor<4x8xf32>
    %squares_a = nlp.square_sum %grad_a : tensor<8x8xf32>
    %squares_b = nlp.square_sum %grad_b : tensor<4x8xf32>
    %max = nlp.runtime_scalar max_grad_norm : tensor<f64>
    %factor, %norm = nlp.clip_factor %max, %squares_a, %squares_b
        : tensor<1xf64>, tensor<1xf64>
    nlp.report grad_norm, %norm : tensor<f32>
    %rate = nlp.runtime_scalar learning_rate : tensor<f64>
    %momentum = nlp.runtime_scalar momentum : tensor<f64>
    %a = nlp.read @a : tensor<8x8xf32>
    %m_a = nlp.read @m.a : tensor<8x8xf32>
    %new_a, %new_m_a = nlp.sgd %a, %grad_a velocity %m_a
        scalars %rate, %momentum
        : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
    nlp.assign @a, %new_a : tensor<8x8xf32>
    nlp.assign @m.a, %new_m_a : tensor<8x8xf32>
    %b = nlp.read @b : tensor<4x8xf32>
    %m_b = nlp.read @m.b : tensor<4x8xf32>
    %new_b, %new_m_b = nlp.sgd %b, %grad_b velocity %m_b
        scalars %rate, %momentum
        : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
    nlp.assign @b, %new_b : tensor<4x8xf32>
    nlp.assign @m.b, %new_m_b : tensor<4x8xf32>
  }
}
