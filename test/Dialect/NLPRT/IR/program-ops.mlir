// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: nlprt.program @step attributes {
// CHECK-SAME:    arena_bytes = 4096 : i64
// CHECK-SAME:    global_batch = 2 : i64
// CHECK-SAME:    micro_batch = 1 : i64
// CHECK-SAME:    model = "m"
// CHECK-SAME:    plan = "{}"
// CHECK-SAME:    runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>]
// CHECK-SAME:    seq_len = 4 : i64
// CHECK-SAME:    threads = 2 : i64
// CHECK-SAME:    vocab_size = 9 : i64
nlprt.program @step attributes {
    model = "m", global_batch = 2, micro_batch = 1, seq_len = 4, vocab_size = 9,
    threads = 2, arena_bytes = 4096, plan = "{}",
    runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>]} {
  // CHECK: nlprt.buffer @p : memref<4xf32> kind parameter category parameters {decay, init = 2 : i64, init_scale = 2.000000e-02 : f64}
  nlprt.buffer @p : memref<4xf32> kind parameter category parameters
      {decay, init = 2, init_scale = 0.02}
  // CHECK: nlprt.buffer @q : memref<4xbf16> kind parameter category parameters {frozen, init = 1 : i64}
  nlprt.buffer @q : memref<4xbf16> kind parameter category parameters
      {frozen, init = 1}
  // CHECK: nlprt.buffer @m : memref<4xf32> kind state category optimizer {offsets = array<i64: 64>}
  nlprt.buffer @m : memref<4xf32> kind state category optimizer
      {offsets = array<i64: 64>}
  // CHECK: nlprt.buffer @s : memref<4xi8> kind slot category activations {instances = 2 : i64, offsets = array<i64: 128, 192>}
  nlprt.buffer @s : memref<4xi8> kind slot category activations
      {instances = 2, offsets = array<i64: 128, 192>}
  // CHECK: nlprt.buffer @a : memref<4xf32> kind accumulator category gradients
  nlprt.buffer @a : memref<4xf32> kind accumulator category gradients
  // CHECK: nlprt.buffer @i : memref<1x4xi32> kind input category activations {port = 1 : i64}
  nlprt.buffer @i : memref<1x4xi32> kind input category activations {port = 1}
  // CHECK: nlprt.buffer @lr : memref<f64> kind scalar category transients
  nlprt.buffer @lr : memref<f64> kind scalar category transients
  // CHECK: nlprt.buffer @loss : memref<f32> kind figure category communication
  nlprt.buffer @loss : memref<f32> kind figure category communication
  // CHECK: nlprt.routine @f kind forward {
  nlprt.routine @f kind forward {
    // CHECK: nlprt.get @i : memref<1x4xi32>
    %i = nlprt.get @i : memref<1x4xi32>
    // CHECK: %[[X:.*]] = nlprt.alloc transients {offset = 256 : i64} : memref<2x8xf32>
    %x = nlprt.alloc transients {offset = 256} : memref<2x8xf32>
    // CHECK: %[[W:.*]] = nlprt.alloc workspace : memref<48xi8>
    %w = nlprt.alloc workspace : memref<48xi8>
    // CHECK: nlprt.view %[[X]] : memref<2x8xf32> to memref<16xf32>
    %v = nlprt.view %x : memref<2x8xf32> to memref<16xf32>
    // The last four of 64 bytes.
    // CHECK: nlprt.view %[[X]] {offset = 60 : i64} : memref<2x8xf32> to memref<f32>
    %e = nlprt.view %x {offset = 60} : memref<2x8xf32> to memref<f32>
  }
  // CHECK: nlprt.routine @b kind backward {
  nlprt.routine @b kind backward {
  }
  // CHECK: nlprt.routine @fb kind forward_backward {
  nlprt.routine @fb kind forward_backward {
  }
  // CHECK: nlprt.routine @wg kind weight_gradient {
  nlprt.routine @wg kind weight_gradient {
  }
  // CHECK: nlprt.routine @u kind update {
  nlprt.routine @u kind update {
  }
  // CHECK: nlprt.routine @e kind evaluate {
  nlprt.routine @e kind evaluate {
  }
}
