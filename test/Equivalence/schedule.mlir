// The order moves the gradient of @b before that of @a.
// RUN: nlp-opt %s -nlp-schedule -o %t.applied
// RUN: nlp-interpret %s --steps=2 --compare=%t.applied --rtol=0

nlp.parameter @a : tensor<4xf32> init normal scale 1.0
nlp.parameter @b : tensor<4xf32> init normal scale 1.0
nlp.state @m.a : tensor<4xf32> kind moment {parameter = @a}
nlp.state @m.b : tensor<4xf32> kind moment {parameter = @b}
nlp.step @train attributes {
    schedule = [#nlp.run<@forward_backward, 0>, #nlp.run<@update, 0>]} {
  nlp.slot @loss : tensor<f32> {accumulate}
  nlp.slot @grad.a : tensor<4xf32> {accumulate, parameter = @a}
  nlp.slot @grad.b : tensor<4xf32> {accumulate, parameter = @b}
  nlp.segment @forward_backward kind forward_backward attributes {
      order = #nlp.order<ops = [1, 0, 2, 3, 4, 5, 6, 7, 10, 11, 8, 9],
                         instances = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]>} {
    %a = nlp.read @a : tensor<4xf32>
    %b = nlp.read @b : tensor<4xf32>
    %product = nlp.mul %a, %b : tensor<4xf32>
    %loss = nlp.reduce_sum %product leading 1 : tensor<4xf32>
    nlp.slot_accumulate @loss, %loss : tensor<f32>
    nlp.turn
    %one = nlp.fill 1.0 : tensor<f32>
    %ones = nlp.broadcast %one : tensor<f32> -> tensor<4xf32>
    %da = nlp.mul %ones, %b : tensor<4xf32>
    nlp.slot_accumulate @grad.a, %da : tensor<4xf32>
    %db = nlp.mul %ones, %a : tensor<4xf32>
    nlp.slot_accumulate @grad.b, %db : tensor<4xf32>
  }
  nlp.segment @update kind update attributes {
      order = #nlp.order<ops = [0, 1, 3, 2, 4, 5, 9, 10, 11, 12, 13, 6, 7, 8, 14, 15],
                         instances = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]>} {
    %total = nlp.slot_load @loss : tensor<f32>
    nlp.report loss, %total : tensor<f32>
    %ga = nlp.slot_load @grad.a : tensor<4xf32>
    %gb = nlp.slot_load @grad.b : tensor<4xf32>
    %lr = nlp.runtime_scalar learning_rate : tensor<f64>
    %momentum = nlp.runtime_scalar momentum : tensor<f64>
    %a = nlp.read @a : tensor<4xf32>
    %ma = nlp.read @m.a : tensor<4xf32>
    %a2, %ma2 = nlp.sgd %a, %ga velocity %ma scalars %lr, %momentum
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    %b = nlp.read @b : tensor<4xf32>
    %mb = nlp.read @m.b : tensor<4xf32>
    %b2, %mb2 = nlp.sgd %b, %gb velocity %mb scalars %lr, %momentum
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    nlp.assign @b, %b2 : tensor<4xf32>
    nlp.assign @m.b, %mb2 : tensor<4xf32>
    nlp.assign @a, %a2 : tensor<4xf32>
    nlp.assign @m.a, %ma2 : tensor<4xf32>
  }
}
