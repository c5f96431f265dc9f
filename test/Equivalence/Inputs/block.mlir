// One pre-norm block with dropout, a tied head, and a plan: micro-batches of 2
// of 6 sequences, all forward passes first, and marks of every kind: a chain, one
// result of several, random ops, and an op that only the backward pass reads.

#plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
                  sequence_parallel = false, micro_batch = 2, loss_chunks = 1,
                  schedule = <gpipe>, numerics = exact, budget = 0>
#all = #nlp.op_plan<storage = [recompute]>
nlp.parameter @wte : tensor<11x8xf32> init normal scale 0.5 {decay}
nlp.parameter @wpe : tensor<5x8xf32> init normal scale 0.5 {decay}
nlp.parameter @norm.weight : tensor<8xf32> init ones
nlp.parameter @norm.bias : tensor<8xf32> init zeros
nlp.parameter @qkv.weight : tensor<8x24xf32> init normal scale 0.3 {decay}
nlp.parameter @qkv.bias : tensor<24xf32> init zeros
nlp.parameter @fc.weight : tensor<8x8xf32> init normal scale 0.3 {decay}
nlp.parameter @frozen : tensor<8x8xf32> init normal scale 0.3 {frozen}
nlp.step @train attributes {
    model = #nlp.model<name = "block", global_batch = 6, seq_len = 5, vocab_size = 11>,
    plan = #plan} {
  nlp.segment @forward kind forward {
    %ids = nlp.input tokens : tensor<6x5xi32>
    %targets = nlp.input targets : tensor<6x5xi32>
    %seed = nlp.runtime_scalar step_seed : tensor<i64>
    %first = nlp.runtime_scalar first_sequence : tensor<i64>
    %wte = nlp.read @wte : tensor<11x8xf32>
    %wpe = nlp.read @wpe : tensor<5x8xf32>
    %nw = nlp.read @norm.weight : tensor<8xf32>
    %nb = nlp.read @norm.bias : tensor<8xf32>
    %qw = nlp.read @qkv.weight : tensor<8x24xf32>
    %qb = nlp.read @qkv.bias : tensor<24xf32>
    %fw = nlp.read @fc.weight : tensor<8x8xf32>
    %pw = nlp.read @frozen : tensor<8x8xf32>
    %e = nlp.embedding %wte, %ids : tensor<11x8xf32>, tensor<6x5xi32>
    %p = nlp.broadcast %wpe : tensor<5x8xf32> -> tensor<6x5x8xf32>
    %s = nlp.add %e, %p : tensor<6x5x8xf32>
    %x = nlp.dropout %s, %seed, %first rate 0.2 site "embd" {plan = #all}
        : tensor<6x5x8xf32>
    %n, %mean, %rstd = nlp.layer_norm %x, %nw, %nb eps 1.0e-5
        {plan = #nlp.op_plan<storage = [recompute, keep, recompute]>}
        : tensor<6x5x8xf32>, tensor<8xf32>
    %qkv = nlp.linear %n, %qw bias %qb layout in_out {plan = #all}
        : tensor<6x5x8xf32>, tensor<8x24xf32>, tensor<24xf32>
    %q, %k, %v = nlp.split %qkv dim 2 [8, 8, 8]
        {plan = #nlp.op_plan<storage = [recompute, keep, recompute]>}
        : tensor<6x5x24xf32>
    %q4 = nlp.reshape %q {plan = #all} : tensor<6x5x8xf32> -> tensor<6x5x2x4xf32>
    %k4 = nlp.reshape %k : tensor<6x5x8xf32> -> tensor<6x5x2x4xf32>
    %v4 = nlp.reshape %v {plan = #all} : tensor<6x5x8xf32> -> tensor<6x5x2x4xf32>
    %o, %lse = nlp.attention causal %q4, %k4, %v4 seed %seed, %first scale 0.5
        {dropout = 0.1, site = "attn",
         plan = #nlp.op_plan<storage = [recompute, recompute]>}
        : tensor<6x5x2x4xf32>, tensor<6x5x2x4xf32>
    %o3 = nlp.reshape %o : tensor<6x5x2x4xf32> -> tensor<6x5x8xf32>
    %f = nlp.linear %o3, %fw layout out_in : tensor<6x5x8xf32>, tensor<8x8xf32>
    %g = nlp.gelu tanh %f {plan = #all} : tensor<6x5x8xf32>
    %m = nlp.linear %g, %pw layout out_in : tensor<6x5x8xf32>, tensor<8x8xf32>
    %r = nlp.add %x, %m {plan = #all} : tensor<6x5x8xf32>
    %logits = nlp.linear %r, %wte layout out_in
        : tensor<6x5x8xf32>, tensor<11x8xf32>
    %loss, %lse2 = nlp.cross_entropy %logits, %targets normalizer 30.0
        : tensor<6x5x11xf32>, tensor<6x5xi32>
    nlp.report loss, %loss : tensor<f32>
  }
}
