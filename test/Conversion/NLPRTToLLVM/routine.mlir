// RUN: nlp-opt %s -convert-nlprt-to-llvm | FileCheck %s

// Two micro-batches in flight: the slot has two places in the arena.

// Only the table of the program can be seen from outside.
// CHECK-NOT: llvm.func @{{run|kernel}}

// CHECK-LABEL: llvm.func internal @run_forward(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr, %[[MICRO:.*]]: i64) -> i32
// CHECK: %[[BUFFERS:.*]] = llvm.alloca
// CHECK: llvm.urem %[[MICRO]], %{{.*}} : i64
// CHECK: llvm.mlir.addressof @[[PLACES:words[0-9]+]]
// CHECK: %[[OFFSET:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: llvm.getelementptr %[[ARENA]][%[[OFFSET]]]
// CHECK: llvm.mlir.addressof @[[SITE:record[0-9]+]]
// CHECK: %[[STATUS:.*]] = llvm.call @nlprt_parallel(%[[CONTEXT]], %{{.*}}, %{{.*}}, %{{.*}}, %[[BUFFERS]])
// CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[STATUS]]
// CHECK: llvm.cond_br %[[FAILED]], ^[[EXIT:bb[0-9]+]](%[[STATUS]] : i32), ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[NEXT]]:
// CHECK: ^[[EXIT]](%[[RESULT:.*]]: i32):
// CHECK: llvm.return %[[RESULT]] : i32
// CHECK: llvm.mlir.global internal constant @[[PLACES]](dense<[64, 192]> : tensor<2xi64>)
// CHECK: llvm.mlir.global internal constant @[[PLACE:string[0-9]+]]("h.0.mlp\00")
// CHECK: llvm.mlir.global internal constant @[[SITE]]()
// CHECK: llvm.mlir.addressof @[[PLACE]]

// The first micro-batch overwrites, the others add.
// CHECK: llvm.func internal @run_backward(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[MICRO:.*]]: i64)
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[MICRO]]
// CHECK: %[[COPY:.*]] = llvm.mlir.addressof @{{kernel[0-9]+_copy_flat}}
// CHECK: %[[BODY:.*]] = llvm.select %[[FIRST]], %[[COPY]], %{{.*}}
// CHECK: llvm.call @nlprt_parallel(%{{.*}}, %{{.*}}, %[[BODY]],
// Always adds.
// CHECK: %[[ADD:.*]] = llvm.mlir.addressof @{{kernel[0-9]+_add_to}}
// CHECK-NOT: llvm.select
// CHECK: llvm.call @nlprt_parallel(%{{.*}}, %{{.*}}, %[[ADD]],
// The same with a product, which has parameters for either.
// CHECK: %[[ADDS:.*]] = llvm.mlir.addressof @[[ADDS_TABLE:words[0-9]+]] :
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[MICRO]]
// CHECK: %[[WRITES:.*]] = llvm.mlir.addressof @[[WRITES_TABLE:words[0-9]+]] :
// CHECK: %[[PARAMS:.*]] = llvm.select %[[FIRST]], %[[WRITES]], %[[ADDS]]
// CHECK: llvm.call @nlprt_matmul(%{{.*}}, %{{.*}}, %[[PARAMS]],
// CHECK-DAG: @[[ADDS_TABLE]](dense<[1, 4, 5, 1, 0, 0, 0, 1, 0]>
// CHECK-DAG: @[[WRITES_TABLE]](dense<[1, 4, 5, 1, 0, 0, 0, 0, 0]>

// CHECK: llvm.mlir.global external constant @nlprt_compiled_program()
nlprt.program @step attributes {
    model = "tiny", global_batch = 2, micro_batch = 1, seq_len = 1,
    vocab_size = 1, threads = 1, arena_bytes = 131520,
    runs = [#nlprt.run<@forward, 0>, #nlprt.run<@forward, 1>,
            #nlprt.run<@backward, 0>, #nlprt.run<@backward, 1>]} {
  nlprt.buffer @p : memref<20xf32> kind parameter category parameters
      {offsets = array<i64: 320>}
  nlprt.buffer @slot : memref<20xf32> kind slot category activations
      {instances = 2 : i64, offsets = array<i64: 64, 192>}
  nlprt.buffer @sum : memref<20xf32> kind accumulator category gradients
      {offsets = array<i64: 0>}
  nlprt.routine @forward kind forward {
    %p = nlprt.get @p : memref<20xf32>
    %s = nlprt.get @slot : memref<20xf32>
    nlprt.pointwise(%p) to(%s) : (memref<20xf32>) -> memref<20xf32> {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      nlprt.yield %0 : f32
    } loc("h.0.mlp")
  }
  nlprt.routine @backward kind backward {
    %s = nlprt.get @slot : memref<20xf32>
    %sum = nlprt.get @sum : memref<20xf32>
    nlprt.accumulate first (%s) to(%sum) : (memref<20xf32>) -> memref<20xf32>
    nlprt.accumulate(%s) to(%sum) : (memref<20xf32>) -> memref<20xf32>
    %p = nlprt.get @p : memref<20xf32>
    %a = nlprt.view %p : memref<20xf32> to memref<4x1xf32>
    %b = nlprt.view %p {offset = 16} : memref<20xf32> to memref<1x5xf32>
    %w = nlprt.view %sum : memref<20xf32> to memref<4x5xf32>
    %scratch = nlprt.alloc workspace {offset = 448} : memref<131072xi8>
    nlprt.launch "matmul"(%a, %b) to(%w, %scratch)
        {params = {accumulate = 1 : i64, first = 1 : i64, batch = 1 : i64,
                   dtype = 0 : i64, has_bias = 0 : i64, k = 1 : i64,
                   m = 4 : i64, n = 5 : i64, trans_a = 0 : i64,
                   trans_b = 0 : i64}}
        : (memref<4x1xf32>, memref<1x5xf32>)
        -> (memref<4x5xf32>, memref<131072xi8>)
  }
}
