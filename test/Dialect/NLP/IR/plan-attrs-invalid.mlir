// RUN: nlp-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected mesh axes of size 1 or more}}
#mesh_c1 = #nlp.mesh<dp = 1, tp = 0, pp = 1, cp = 1, ep = 1>

// -----

// 2^16 times 2^15 ranks.
// expected-error @+1 {{expected a mesh of fewer than 2^31 ranks}}
#mesh_c2 = #nlp.mesh<dp = 65536, tp = 32768, pp = 1, cp = 1, ep = 1>

// -----

// expected-error @+1 {{expected a mesh of fewer than 2^31 ranks}}
#mesh_c2_overflow = #nlp.mesh<dp = 9223372036854775807, tp = 9223372036854775807, pp = 1, cp = 1, ep = 1>

// -----

// expected-error @+1 {{expected ','}}
#mesh_missing = #nlp.mesh<dp = 1, tp = 1, pp = 1, cp = 1>

// -----

// expected-error @+1 {{expected a mesh axis (dp, tp, pp, cp, ep), but got 'xp'}}
#dim_c1_unknown = #nlp.dim<["xp"]>

// -----

// expected-error @+1 {{mesh axis 'dp' is named twice}}
#dim_c1_twice = #nlp.dim<["dp", "dp"]>

// -----

// expected-error @+1 {{mesh axis 'tp' is named twice}}
#sharding_c1_dims = #nlp.sharding<dims = [#nlp.dim<["tp"]>, #nlp.dim<["dp", "tp"]>]>

// -----

// expected-error @+1 {{mesh axis 'dp' is named twice}}
#sharding_c1_partial = #nlp.sharding<dims = [#nlp.dim<["dp"]>], partial = ["dp"]>

// -----

// expected-error @+1 {{expected a mesh axis (dp, tp, pp, cp, ep), but got ''}}
#sharding_axis = #nlp.sharding<dims = [], partial = [""]>

// -----

// expected-error @+1 {{expected one chunk per stage except for an interleaved schedule, but got 2}}
#schedule_c1 = #nlp.schedule<gpipe, chunks = 2>

// -----

// expected-error @+1 {{expected one chunk per stage except for an interleaved schedule, but got 0}}
#schedule_c1_none = #nlp.schedule<interleaved, chunks = 0>

// -----

// expected-error @+1 {{expected one chunk per stage except for an interleaved schedule, but got 9223372036854775807}}
#schedule_c1_limit = #nlp.schedule<interleaved, chunks = 9223372036854775807>

// -----

// expected-error @+1 {{expected a ZeRO stage of 0 to 3, but got 4}}
#plan_c1 = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 4, sequence_parallel = false, micro_batch = 1, loss_chunks = 1, schedule = <none>, numerics = exact, budget = 0>

// -----

// expected-error @+1 {{expected micro_batch and loss_chunks of 1 or more}}
#plan_c2_micro_batch = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0, sequence_parallel = false, micro_batch = 0, loss_chunks = 1, schedule = <none>, numerics = exact, budget = 0>

// -----

// expected-error @+1 {{expected micro_batch and loss_chunks of 1 or more}}
#plan_c2_loss_chunks = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0, sequence_parallel = false, micro_batch = 1, loss_chunks = -1, schedule = <none>, numerics = exact, budget = 0>

// -----

// Two stages of two chunks.
// expected-error @+1 {{expected 4 stage_layers of 0 or more, but got 3}}
#plan_c3_count = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 2, cp = 1, ep = 1>, zero = 0, sequence_parallel = false, micro_batch = 1, loss_chunks = 1, schedule = <interleaved, chunks = 2>, numerics = exact, budget = 0, stage_layers = 1, 2, 3>

// -----

// expected-error @+1 {{expected 1 stage_layers of 0 or more, but got 1}}
#plan_c3_negative = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0, sequence_parallel = false, micro_batch = 1, loss_chunks = 1, schedule = <none>, numerics = exact, budget = 0, stage_layers = -1>

// -----

// expected-error @+1 {{schedule zb_h1 needs a pipeline of 2 stages or more}}
#plan_c4 = #nlp.plan<mesh = <dp = 2, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0, sequence_parallel = false, micro_batch = 1, loss_chunks = 1, schedule = <zb_h1>, numerics = exact, budget = 0>

// -----

// expected-error @+1 {{expected a budget of 0 or more, but got -1}}
#plan_c5 = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0, sequence_parallel = false, micro_batch = 1, loss_chunks = 1, schedule = <none>, numerics = exact, budget = -1>

// -----

func.func @op_plan_c1(%x: tensor<2x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected a storage kind for each of 2 results, but got 1}}
  %0:2 = nlp.rms_norm %x, %w eps 1.0e-5
      {plan = #nlp.op_plan<storage = [keep]>} : tensor<2x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @op_plan_c2_count(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected a sharding for each of 1 results, but got 2}}
  %0 = nlp.neg %x {plan = #nlp.op_plan<shardings = [
      <dims = [#nlp.dim<>]>, <dims = [#nlp.dim<>]>]>} : tensor<2xf32>
  return
}

// -----

func.func @op_plan_c2_rank(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected a sharding of as many dimensions as 'tensor<2xf32>', but got #nlp.sharding<dims = []>}}
  %0 = nlp.neg %x {plan = #nlp.op_plan<shardings = [<dims = []>]>}
      : tensor<2xf32>
  return
}

// -----

func.func @op_plan_c3(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected precision f32, bf16, f16 or an 8-bit float, but got 'i8'}}
  %0 = nlp.neg %x {plan = #nlp.op_plan<precision = i8>} : tensor<2xf32>
  return
}

// -----

func.func @op_plan_c3_wide(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected precision f32, bf16, f16 or an 8-bit float, but got 'f64'}}
  %0 = nlp.neg %x {plan = #nlp.op_plan<precision = f64>} : tensor<2xf32>
  return
}

// -----

func.func @op_plan_c5(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected a stage of 0 or more, but got -1}}
  %0 = nlp.neg %x {plan = #nlp.op_plan<stage = -1>} : tensor<2xf32>
  return
}

// -----

func.func @op_plan_field(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected storage, precision, shardings or stage, but got 'memory'}}
  %0 = nlp.neg %x {plan = #nlp.op_plan<memory = 3>} : tensor<2xf32>
  return
}

// -----

func.func @op_plan_kind(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected keep, recompute, offload or compress, but got 'drop'}}
  %0 = nlp.neg %x {plan = #nlp.op_plan<storage = [drop]>} : tensor<2xf32>
  return
}

// -----

func.func @op_plan_twice(%x: tensor<2xf32>) {
  // expected-error @+1 {{'stage' is given twice}}
  %0 = nlp.neg %x {plan = #nlp.op_plan<stage = 1, stage = 2>} : tensor<2xf32>
  return
}

// -----

// expected-error @+1 {{expected as many instances as ops, but got 1 and 2}}
#order_c1 = #nlp.order<ops = [0, 1], instances = [0]>

// -----

// expected-error @+1 {{entry (1, 0) is negative or occurs twice}}
#order_c2_twice = #nlp.order<ops = [0, 1, 1], instances = [0, 0, 0]>

// -----

// expected-error @+1 {{entry (-1, 0) is negative or occurs twice}}
#order_c2_negative = #nlp.order<ops = [-1], instances = [0]>

// -----

// expected-error @+1 {{expected a micro-batch of 0 or more, but got -1}}
#run_c1 = #nlp.run<@forward, -1>

// -----

// expected-error @+1 {{expected sizes of 1 or more}}
#model_c1 = #nlp.model<name = "m", global_batch = 1, seq_len = 0, vocab_size = 1>
