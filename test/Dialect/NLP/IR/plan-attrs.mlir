// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: nlp.step @trivial attributes {plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>,
// CHECK-SAME:    zero = 0, sequence_parallel = false, micro_batch = 4, loss_chunks = 1, schedule = <none>, numerics = exact, budget = 0>}
nlp.step @trivial attributes {
    plan = #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
      sequence_parallel = false, micro_batch = 4, loss_chunks = 1,
      schedule = <none>, numerics = exact, budget = 0>} {
}

// Two chunks on each of two stages: four entries.
// CHECK-LABEL: nlp.step @everything attributes {plan = #nlp.plan<mesh = <dp = 2, tp = 4, pp = 2, cp = 8, ep = 16>,
// CHECK-SAME:    zero = 3, sequence_parallel = true, micro_batch = 1, loss_chunks = 8, schedule = <interleaved, chunks = 2>, numerics = aggressive, budget = 85899345920, stage_layers = 0, 3, 3, 2>}
nlp.step @everything attributes {
    plan = #nlp.plan<mesh = <dp = 2, tp = 4, pp = 2, cp = 8, ep = 16>, zero = 3,
      sequence_parallel = true, micro_batch = 1, loss_chunks = 8,
      schedule = <interleaved, chunks = 2>, numerics = aggressive,
      budget = 85899345920, stage_layers = 0, 3, 3, 2>} {
}

// False is the default, so that it is not printed.
// CHECK-LABEL: func.func private @updates
// CHECK-SAME:    numerics = exact, budget = 0, update_in_backward = true>
// CHECK-SAME:    numerics = exact, budget = 0>
func.func private @updates() attributes {test = [
    #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
      sequence_parallel = false, micro_batch = 4, loss_chunks = 1,
      schedule = <none>, numerics = exact, budget = 0,
      update_in_backward = true>,
    #nlp.plan<mesh = <dp = 1, tp = 1, pp = 1, cp = 1, ep = 1>, zero = 0,
      sequence_parallel = false, micro_batch = 4, loss_chunks = 1,
      schedule = <none>, numerics = exact, budget = 0,
      update_in_backward = false>]}

// CHECK-LABEL: func.func private @schedules
// CHECK-SAME:    #nlp.schedule<none>, #nlp.schedule<gpipe>, #nlp.schedule<one_f_one_b>, #nlp.schedule<interleaved>, #nlp.schedule<zb_h1>, #nlp.schedule<zb_h2>
func.func private @schedules() attributes {test = [
    #nlp.schedule<none>, #nlp.schedule<gpipe>, #nlp.schedule<one_f_one_b>,
    #nlp.schedule<interleaved>, #nlp.schedule<zb_h1>, #nlp.schedule<zb_h2>]}

// One chunk is the default, so that it is not printed.
// CHECK-LABEL: func.func private @chunks
// CHECK-SAME:    #nlp.schedule<interleaved>, #nlp.schedule<interleaved, chunks = 3>
func.func private @chunks() attributes {test = [
    #nlp.schedule<interleaved, chunks = 1>,
    #nlp.schedule<interleaved, chunks = 3>]}

// 2^31 - 1 ranks.
// CHECK-LABEL: func.func private @meshes
// CHECK-SAME:    #nlp.mesh<dp = 2147483647, tp = 1, pp = 1, cp = 1, ep = 1>
func.func private @meshes() attributes {test =
    #nlp.mesh<dp = 2147483647, tp = 1, pp = 1, cp = 1, ep = 1>}

// CHECK-LABEL: func.func private @shardings
// CHECK-SAME:    #nlp.sharding<dims = []>
// CHECK-SAME:    #nlp.sharding<dims = [<>]>
// CHECK-SAME:    #nlp.sharding<dims = [<["dp", "cp"]>, <>], partial = ["tp"]>
// CHECK-SAME:    #nlp.sharding<dims = [], partial = ["tp", "ep"]>
func.func private @shardings() attributes {test = [
    #nlp.sharding<dims = []>,
    #nlp.sharding<dims = [<>]>,
    #nlp.sharding<dims = [#nlp.dim<["dp", "cp"]>, #nlp.dim<>], partial = ["tp"]>,
    #nlp.sharding<dims = [], partial = ["tp", "ep"]>]}

// CHECK-LABEL: func.func private @orders
// CHECK-SAME:    #nlp.order<ops = [0, 1, 2, 1], instances = [0, 0, 0, 1]>
// CHECK-SAME:    #nlp.order<ops = [9223372036854775807], instances = [9223372036854775807]>
func.func private @orders() attributes {test = [
    #nlp.order<ops = [0, 1, 2, 1], instances = [0, 0, 0, 1]>,
    #nlp.order<ops = [9223372036854775807], instances = [9223372036854775807]>]}

// CHECK-LABEL: func.func private @models
// CHECK-SAME:    #nlp.model<name = "a \22b\22", global_batch = 1, seq_len = 1, vocab_size = 1>
func.func private @models() attributes {test =
    #nlp.model<name = "a \22b\22", global_batch = 1, seq_len = 1, vocab_size = 1>}

// CHECK-LABEL: func.func @op_plans
// CHECK-SAME:    (%[[X:.*]]: tensor<2x8xf32>, %[[W:.*]]: tensor<8xf32>)
func.func @op_plans(%x: tensor<2x8xf32>, %w: tensor<8xf32>) {
  // CHECK: nlp.neg %[[X]] {plan = #nlp.op_plan<>}
  %0 = nlp.neg %x {plan = #nlp.op_plan<>} : tensor<2x8xf32>
  // CHECK: nlp.rms_norm %[[X]], %[[W]] eps 1.000000e-05 {plan = #nlp.op_plan<storage = [recompute, offload]>}
  %1:2 = nlp.rms_norm %x, %w eps 1.0e-5
      {plan = #nlp.op_plan<storage = [recompute, offload]>}
      : tensor<2x8xf32>, tensor<8xf32>
  // Parts stand in any order, and are printed in one.
  // CHECK: nlp.neg %[[X]] {plan = #nlp.op_plan<storage = [compress], precision = bf16, shardings = [<dims = [<["dp"]>, <>]>], stage = 3>}
  %2 = nlp.neg %x {plan = #nlp.op_plan<stage = 3, precision = bf16,
      shardings = [<dims = [#nlp.dim<["dp"]>, #nlp.dim<>]>],
      storage = [compress]>} : tensor<2x8xf32>
  // CHECK: nlp.neg %[[X]] {plan = #nlp.op_plan<storage = [keep], precision = f8E4M3FN>}
  %3 = nlp.neg %x {plan = #nlp.op_plan<storage = [keep],
      precision = f8E4M3FN, stage = 0>} : tensor<2x8xf32>
  return
}
