// RUN: nlp-opt %s -convert-nlprt-to-llvm | FileCheck %s

// Two layers share the kernel of their norm; the third differs in epsilon. A
// row of 20 is one whole vector and one of which 4 lanes count.

// CHECK: llvm.func internal @kernel0_layer_norm(
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: llvm.intr.masked.load
// CHECK-NOT: arith.
// CHECK-NOT: math.
// CHECK-NOT: scf.
// CHECK: llvm.intr.masked.store
// CHECK: llvm.func internal @kernel1_layer_norm(
// CHECK-NOT: llvm.func internal @kernel2

// A call of the library: fields in the order of the ABI (one batch, m 4, n 5,
// k 20, no transposes, with bias, no accumulation, f32), and no workspace.
// CHECK-DAG: llvm.mlir.global internal constant @[[PARAMS:words[0-9]+]](dense<[1, 4, 5, 20, 0, 0, 1, 0, 0]> : tensor<9xi64>)
// CHECK-DAG: llvm.func @nlprt_matmul(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
nlprt.program @step attributes {
    model = "tiny", global_batch = 1, micro_batch = 1, seq_len = 1,
    vocab_size = 1, threads = 1, arena_bytes = 133120,
    runs = [#nlprt.run<@forward, 0>]} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<4x20xf32>
    %w = nlprt.alloc transients {offset = 320} : memref<20xf32>
    %m = nlprt.alloc transients {offset = 448} : memref<4xf32>
    %r = nlprt.alloc transients {offset = 512} : memref<4xf32>
    %b = nlprt.alloc transients {offset = 576} : memref<20x5xf32>
    %c = nlprt.alloc transients {offset = 1024} : memref<5xf32>
    %y = nlprt.alloc transients {offset = 1088} : memref<4x5xf32>
    %space = nlprt.alloc workspace {offset = 2048} : memref<131072xi8>
    nlprt.launch "layer_norm"(%x, %w, %w) to(%x, %m, %r)
        {params = {epsilon = 1.0e-5}}
        : (memref<4x20xf32>, memref<20xf32>, memref<20xf32>)
        -> (memref<4x20xf32>, memref<4xf32>, memref<4xf32>)
    nlprt.launch "layer_norm"(%x, %w, %w) to(%x, %m, %r)
        {params = {epsilon = 1.0e-5}}
        : (memref<4x20xf32>, memref<20xf32>, memref<20xf32>)
        -> (memref<4x20xf32>, memref<4xf32>, memref<4xf32>)
    nlprt.launch "layer_norm"(%x, %w, %w) to(%x, %m, %r)
        {params = {epsilon = 1.0e-6}}
        : (memref<4x20xf32>, memref<20xf32>, memref<20xf32>)
        -> (memref<4x20xf32>, memref<4xf32>, memref<4xf32>)
    nlprt.launch "matmul"(%x, %b, %c) to(%y, %space)
        {params = {batch = 1, m = 4, n = 5, k = 20, trans_a = 0, trans_b = 0,
                   has_bias = 1, accumulate = 0, dtype = 0}}
        : (memref<4x20xf32>, memref<20x5xf32>, memref<5xf32>)
        -> (memref<4x5xf32>, memref<131072xi8>)
  }
}
