// An order, with recomputations before and behind the loss, is the same step in
// chunks.
// RUN: nlp-opt %s -nlp-apply-loss-chunks -nlp-apply-recompute -o %t.applied
// RUN: nlp-interpret %t.applied --compare=%s --steps=2 --rtol=1e-12
// RUN: FileCheck %s < %t.applied

// CHECK:      nlp.turn
// CHECK:      nlp.concat
// CHECK:      nlp.exp
// CHECK-NEXT: nlp.mul

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 3,
                  schedule = <none>, numerics = exact, budget = 0>
nlp.parameter @wte : tensor<7x4xf32> init normal scale 0.5
nlp.parameter @head : tensor<7x4xf32> init normal scale 0.5
nlp.step @train attributes {
    model = #nlp.model<name = "head", global_batch = 2, seq_len = 2, vocab_size = 7>,
    plan = #plan,
    schedule = [#nlp.run<@forward_backward, 0>, #nlp.run<@update, 0>]} {
  nlp.slot @loss : tensor<f32> {accumulate}
  nlp.slot @grad.wte : tensor<7x4xf32> {accumulate, parameter = @wte}
  nlp.slot @grad.head : tensor<7x4xf32> {accumulate, parameter = @head}
  nlp.segment @forward_backward kind forward_backward attributes {
      order = #nlp.order<
        ops = [3, 2, 1, 0, 4, 5, 6, 7, 8, 9, 6, 10, 11, 5, 14, 15, 16, 17, 12, 13],
        instances = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]>} {
    %ids = nlp.input tokens : tensor<2x2xi32>
    %targets = nlp.input targets : tensor<2x2xi32>
    %wte = nlp.read @wte : tensor<7x4xf32>
    %head = nlp.read @head : tensor<7x4xf32>
    %e = nlp.embedding %wte, %ids : tensor<7x4xf32>, tensor<2x2xi32>
    %x = nlp.exp %e {plan = #nlp.op_plan<storage = [recompute]>}
        : tensor<2x2x4xf32>
    %h = nlp.linear %x, %head layout out_in
        {plan = #nlp.op_plan<storage = [recompute]>}
        : tensor<2x2x4xf32>, tensor<7x4xf32>
    %loss, %lse = nlp.cross_entropy %h, %targets normalizer 4.0
        : tensor<2x2x7xf32>, tensor<2x2xi32>
    nlp.slot_accumulate @loss, %loss : tensor<f32>
    nlp.turn
    %one = nlp.fill 1.0 : tensor<f32>
    %dh = nlp.cross_entropy_grad %one, %h, %targets, %lse normalizer 4.0
        : tensor<2x2x7xf32>, tensor<2x2xi32>, tensor<2x2xf32>
    %dw = nlp.linear_weight_grad %x, %dh layout out_in
        : tensor<2x2x4xf32>, tensor<2x2x7xf32>
    nlp.slot_accumulate @grad.head, %dw : tensor<7x4xf32>
    %dx = nlp.linear %dh, %head layout in_out
        : tensor<2x2x7xf32>, tensor<7x4xf32>
    %de = nlp.mul %dx, %x : tensor<2x2x4xf32>
    %dwte = nlp.embedding_grad %de, %ids rows 7
        : tensor<2x2x4xf32>, tensor<2x2xi32>
    nlp.slot_accumulate @grad.wte, %dwte : tensor<7x4xf32>
  }
  nlp.segment @update kind update {
    %lr = nlp.runtime_scalar learning_rate : tensor<f64>
    %loss = nlp.slot_load @loss : tensor<f32>
    %w0 = nlp.read @wte : tensor<7x4xf32>
    %g0 = nlp.slot_load @grad.wte : tensor<7x4xf32>
    %s0 = nlp.sub %w0, %g0 : tensor<7x4xf32>
    nlp.assign @wte, %s0 : tensor<7x4xf32>
    %w1 = nlp.read @head : tensor<7x4xf32>
    %g1 = nlp.slot_load @grad.head : tensor<7x4xf32>
    %s1 = nlp.sub %w1, %g1 : tensor<7x4xf32>
    nlp.assign @head, %s1 : tensor<7x4xf32>
    nlp.report loss, %loss : tensor<f32>
  }
}
