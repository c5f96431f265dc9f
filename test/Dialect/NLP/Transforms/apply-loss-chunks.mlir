// RUN: nlp-opt %s -split-input-file -nlp-apply-loss-chunks | FileCheck %s

// Six tokens in two chunks. The loss and its gradient run together behind the
// turn, behind the gradient that enters; what was marked is not any more.

// CHECK-LABEL: nlp.step @joint
// CHECK-NOT:     plan =
// CHECK:         nlp.segment @forward_backward
// CHECK:         %[[TARGETS:.*]] = nlp.input targets
// CHECK-NEXT:    %[[W:.*]] = nlp.read @wte
// CHECK-NEXT:    %[[B:.*]] = nlp.read @bias
// CHECK-NEXT:    %[[X:.*]] = nlp.embedding
// CHECK-NEXT:    nlp.turn
// CHECK-NEXT:    %[[ONE:.*]] = nlp.fill 1.0
// CHECK-NEXT:    %[[FLAT:.*]] = nlp.reshape %[[X]] : tensor<2x3x4xf32> -> tensor<1x6x4xf32>
// CHECK-NEXT:    %[[ROWS:.*]] = nlp.reshape %[[TARGETS]] : tensor<2x3xi32> -> tensor<1x6xi32>
// CHECK-NEXT:    %[[X0:.*]] = nlp.slice %[[FLAT]] dim 1 from 0 size 3
// CHECK-NEXT:    %[[T0:.*]] = nlp.slice %[[ROWS]] dim 1 from 0 size 3
// CHECK-NEXT:    %[[H0:.*]] = nlp.linear %[[X0]], %[[W]] bias %[[B]] layout out_in :
// CHECK-NEXT:    %[[L0:.*]], %[[LSE0:.*]] = nlp.cross_entropy %[[H0]], %[[T0]] normalizer 6.0{{.*}} : tensor<1x3x9xf32>, tensor<1x3xi32>
// CHECK-NEXT:    nlp.slot_accumulate @loss, %[[L0]]
// CHECK-NEXT:    %[[DH0:.*]] = nlp.cross_entropy_grad %[[ONE]], %[[H0]], %[[T0]], %[[LSE0]]
// CHECK-NEXT:    %[[DW0:.*]] = nlp.linear_weight_grad %[[X0]], %[[DH0]] layout out_in
// CHECK-NEXT:    nlp.slot_accumulate @grad.wte, %[[DW0]]
// CHECK-NEXT:    %[[DB0:.*]] = nlp.reduce_sum %[[DH0]] leading 2 : tensor<1x3x9xf32>
// CHECK-NEXT:    nlp.slot_accumulate @grad.bias, %[[DB0]]
// CHECK-NEXT:    %[[DX0:.*]] = nlp.linear %[[DH0]], %[[W]] layout in_out
// CHECK-NEXT:    nlp.slice %[[FLAT]] dim 1 from 3 size 3
// CHECK:         %[[DX1:.*]] = nlp.linear %{{.*}}, %[[W]] layout in_out
// CHECK-NEXT:    %[[PARTS:.*]] = nlp.concat %[[DX0]], %[[DX1]] dim 1
// CHECK-NEXT:    %[[DX:.*]] = nlp.reshape %[[PARTS]] : tensor<1x6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT:    nlp.embedding_grad %[[DX]]

// Evaluation adds the parts up.
// CHECK:         nlp.segment @evaluate
// CHECK:         %[[L0:.*]], %{{.*}} = nlp.cross_entropy
// CHECK:         %[[L1:.*]], %{{.*}} = nlp.cross_entropy
// CHECK-NEXT:    %[[L:.*]] = nlp.add %[[L0]], %[[L1]] : tensor<f32>
// CHECK-NEXT:    nlp.report loss, %[[L]]
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 2,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.parameter @bias : tensor<9xf32> init ones
nlp.step @joint attributes {plan = #plan} {
  nlp.slot @loss : tensor<f32> {accumulate}
  nlp.slot @grad.wte : tensor<9x4xf32> {accumulate, parameter = @wte}
  nlp.slot @grad.bias : tensor<9xf32> {accumulate, parameter = @bias}
  nlp.segment @forward_backward kind forward_backward {
    %ids = nlp.input tokens : tensor<2x3xi32>
    %targets = nlp.input targets : tensor<2x3xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %bias = nlp.read @bias : tensor<9xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x4xf32>, tensor<2x3xi32>
    %h = nlp.linear %x, %wte bias %bias layout out_in
        {plan = #nlp.op_plan<storage = [recompute]>}
        : tensor<2x3x4xf32>, tensor<9x4xf32>, tensor<9xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 6.0
        : tensor<2x3x9xf32>, tensor<2x3xi32>
    nlp.slot_accumulate @loss, %loss : tensor<f32>
    nlp.turn
    %one = nlp.fill 1.0 : tensor<f32>
    %dh = nlp.cross_entropy_grad %one, %h, %targets, %lse normalizer 6.0
        : tensor<2x3x9xf32>, tensor<2x3xi32>, tensor<2x3xf32>
    %dw = nlp.linear_weight_grad %x, %dh layout out_in
        : tensor<2x3x4xf32>, tensor<2x3x9xf32>
    nlp.slot_accumulate @grad.wte, %dw : tensor<9x4xf32>
    %db = nlp.reduce_sum %dh leading 2 : tensor<2x3x9xf32>
    nlp.slot_accumulate @grad.bias, %db : tensor<9xf32>
    %dx = nlp.linear %dh, %wte layout in_out
        : tensor<2x3x9xf32>, tensor<9x4xf32>
    %dwte = nlp.embedding_grad %dx, %ids rows 9
        : tensor<2x3x4xf32>, tensor<2x3xi32>
    nlp.slot_accumulate @grad.wte, %dwte : tensor<9x4xf32>
  }
  nlp.segment @evaluate kind evaluate {
    %ids = nlp.input tokens : tensor<2x3xi32>
    %targets = nlp.input targets : tensor<2x3xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x4xf32>, tensor<2x3xi32>
    %h = nlp.linear %x, %wte layout out_in
        : tensor<2x3x4xf32>, tensor<9x4xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 6.0
        : tensor<2x3x9xf32>, tensor<2x3xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}

// -----

// Five tokens in three chunks of 1, 2 and 2: 5 / 3 and 10 / 3 are rounded down.
// One sequence needs no reshape. All ops between the products belong; sums that
// are not accumulated are added up chunk by chunk, and what no chunk needs whole
// is used as it is.

// CHECK-LABEL: nlp.step @between
// CHECK:         %[[B:.*]] = nlp.read @bias
// CHECK:         %[[X:.*]] = nlp.embedding
// CHECK-NEXT:    nlp.turn
// CHECK-NEXT:    %[[ONE:.*]] = nlp.fill 1.0
// CHECK-NEXT:    nlp.slice %[[X]] dim 1 from 0 size 1 : tensor<1x5x4xf32>
// CHECK-NEXT:    nlp.slice %{{.*}} dim 1 from 0 size 1 : tensor<1x5xi32>
// CHECK-NEXT:    %[[Y0:.*]] = nlp.linear
// CHECK-NEXT:    %[[B0:.*]] = nlp.broadcast %[[B]] : tensor<9xf32> -> tensor<1x1x9xf32>
// CHECK-NEXT:    nlp.add %[[Y0]], %[[B0]]
// CHECK:         nlp.cross_entropy_grad
// CHECK-NEXT:    %[[S0:.*]] = nlp.reduce_sum
// CHECK-NEXT:    nlp.slice %[[X]] dim 1 from 1 size 2
// CHECK:         %[[S1:.*]] = nlp.reduce_sum
// CHECK-NEXT:    %[[S01:.*]] = nlp.add %[[S0]], %[[S1]]
// CHECK-NEXT:    nlp.slice %[[X]] dim 1 from 3 size 2
// CHECK:         nlp.broadcast %[[B]] : tensor<9xf32> -> tensor<1x2x9xf32>
// CHECK:         %[[S2:.*]] = nlp.reduce_sum
// CHECK-NEXT:    %[[S:.*]] = nlp.add %[[S01]], %[[S2]]
// CHECK-NEXT:    %[[SCALED:.*]] = nlp.scale %[[S]]
// CHECK-NEXT:    nlp.slot_accumulate @grad.bias, %[[SCALED]]
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 3,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.parameter @bias : tensor<9xf32> init ones
nlp.step @between attributes {plan = #plan} {
  nlp.slot @loss : tensor<f32> {accumulate}
  nlp.slot @grad.bias : tensor<9xf32> {accumulate, parameter = @bias}
  nlp.segment @forward_backward kind forward_backward {
    %ids = nlp.input tokens : tensor<1x5xi32>
    %targets = nlp.input targets : tensor<1x5xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %bias = nlp.read @bias : tensor<9xf32>
    %x = nlp.embedding %wte, %ids : tensor<9x4xf32>, tensor<1x5xi32>
    %y = nlp.linear %x, %wte layout out_in
        : tensor<1x5x4xf32>, tensor<9x4xf32>
    %wide = nlp.broadcast %bias : tensor<9xf32> -> tensor<1x5x9xf32>
    %h = nlp.add %y, %wide : tensor<1x5x9xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 5.0
        : tensor<1x5x9xf32>, tensor<1x5xi32>
    nlp.slot_accumulate @loss, %loss : tensor<f32>
    nlp.turn
    %one = nlp.fill 1.0 : tensor<f32>
    %dh = nlp.cross_entropy_grad %one, %h, %targets, %lse normalizer 5.0
        : tensor<1x5x9xf32>, tensor<1x5xi32>, tensor<1x5xf32>
    %db = nlp.reduce_sum %dh leading 2 : tensor<1x5x9xf32>
    %scaled = nlp.scale %db by 0.5 : tensor<9xf32>
    nlp.slot_accumulate @grad.bias, %scaled : tensor<9xf32>
  }
}

// -----

// The order ran sources backwards and recomputed what it was allowed to. As
// written, the ops are now: 0 to 3 sources and the embedding, 4 the turn, 5 the
// gradient of the loss, 6 to 11 one chunk, 12 to 17 the other, 18 the last op.

// CHECK-LABEL: nlp.step @ordered
// CHECK:         order = #nlp.order<ops = [2, 1, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 3, 18], instances = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]>
// CHECK:         nlp.segment @evaluate
// CHECK-SAME:    order = #nlp.order<ops = [2, 1, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], instances = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]>
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 2,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @ordered attributes {plan = #plan} {
  nlp.slot @loss : tensor<f32> {accumulate}
  nlp.slot @out : tensor<1x2x4xf32> {accumulate}
  nlp.segment @forward_backward kind forward_backward attributes {
      order = #nlp.order<ops = [2, 1, 0, 3, 4, 5, 6, 7, 4, 8, 9, 3, 10],
                         instances = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0]>} {
    %ids = nlp.input tokens : tensor<1x2xi32>
    %targets = nlp.input targets : tensor<1x2xi32>
    %wte = nlp.read @wte : tensor<9x4xf32>
    %x = nlp.embedding %wte, %ids
        {plan = #nlp.op_plan<storage = [recompute]>}
        : tensor<9x4xf32>, tensor<1x2xi32>
    %h = nlp.linear %x, %wte layout out_in
        {plan = #nlp.op_plan<storage = [recompute]>}
        : tensor<1x2x4xf32>, tensor<9x4xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 2.0
        : tensor<1x2x9xf32>, tensor<1x2xi32>
    nlp.slot_accumulate @loss, %loss : tensor<f32>
    nlp.turn
    %one = nlp.fill 1.0 : tensor<f32>
    %dh = nlp.cross_entropy_grad %one, %h, %targets, %lse normalizer 2.0
        : tensor<1x2x9xf32>, tensor<1x2xi32>, tensor<1x2xf32>
    nlp.slot_accumulate @out, %x : tensor<1x2x4xf32>
  }
  nlp.segment @evaluate kind evaluate attributes {
      order = #nlp.order<ops = [2, 1, 0, 3, 4, 5, 6],
                         instances = [0, 0, 0, 0, 0, 0, 0]>} {
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

// -----

// One chunk is the step as it is.

// CHECK-LABEL: nlp.step @one
// CHECK-NOT:     plan =
// CHECK:         nlp.cross_entropy
// CHECK-NOT:     nlp.cross_entropy
#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 1, loss_chunks = 1,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<9x4xf32> init ones
nlp.step @one attributes {plan = #plan} {
  nlp.segment @evaluate kind evaluate {
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
