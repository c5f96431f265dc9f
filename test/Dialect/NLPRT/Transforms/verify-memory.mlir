// RUN: nlp-opt %s -split-input-file -nlprt-verify-memory | FileCheck %s

// a is dead when c is written: one place for both.
// CHECK-LABEL: nlprt.program @reuse
nlprt.program @reuse attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 128} : memref<32xf32>
    %c = nlprt.alloc transients {offset = 0} : memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    nlprt.launch "copy"(%a) to(%b) : (memref<32xf32>) -> memref<32xf32>
    nlprt.launch "copy"(%b) to(%c) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// The second half of a is dead when b is written there.
// CHECK-LABEL: nlprt.program @half
nlprt.program @half attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 64} : memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    nlprt.launch "fill"() to(%b) : () -> memref<32xf32>
    %half = nlprt.view %a : memref<32xf32> to memref<16xf32>
    nlprt.pointwise(%half) to(%half) : (memref<16xf32>) -> memref<16xf32> {
    ^bb0(%x: f32):
      nlprt.yield %x : f32
    }
  }
}

// -----

// In place, as the kernels allow: all of a buffer, read and written by element.
// CHECK-LABEL: nlprt.program @in_place
nlprt.program @in_place attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = [#nlprt.run<@u, 0>]} {
  nlprt.buffer @p : memref<4xf32> kind parameter category parameters
      {offsets = array<i64: 0>}
  nlprt.buffer @v : memref<4xf32> kind state category optimizer
      {offsets = array<i64: 64>}
  nlprt.buffer @lr : memref<f64> kind scalar category transients
      {offsets = array<i64: 128>}
  nlprt.routine @u kind update {
    %p = nlprt.get @p : memref<4xf32>
    %v = nlprt.get @v : memref<4xf32>
    %lr = nlprt.get @lr : memref<f64>
    %g = nlprt.alloc transients {offset = 192} : memref<4xf32>
    nlprt.launch "fill"() to(%g) : () -> memref<4xf32>
    nlprt.launch "sgd"(%p, %g, %v, %lr, %lr) to(%p, %v)
        : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<f64>,
           memref<f64>) -> (memref<4xf32>, memref<4xf32>)
  }
}

// -----

// F0 B0 F1 B1: one instance serves both micro-batches.
// CHECK-LABEL: nlprt.program @one_instance
nlprt.program @one_instance attributes {
    model = "", global_batch = 2, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 128,
    runs = [#nlprt.run<@f, 0>, #nlprt.run<@b, 0>, #nlprt.run<@f, 1>,
            #nlprt.run<@b, 1>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.launch "fill"() to(%s) : () -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.pointwise(%s) to(%s) : (memref<32xf32>) -> memref<32xf32> {
    ^bb0(%x: f32):
      nlprt.yield %x : f32
    }
  }
}

// -----

// The evaluation may use what training does not hold from step to step, and
// leaves its figure where the training loop reads it.
// CHECK-LABEL: nlprt.program @evaluation
nlprt.program @evaluation attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 384, runs = [#nlprt.run<@f, 0>]} {
  nlprt.buffer @p : memref<32xf32> kind parameter category parameters
      {offsets = array<i64: 0>}
  nlprt.buffer @tokens : memref<1x1xi32> kind input category activations
      {offsets = array<i64: 128>}
  nlprt.buffer @loss : memref<f32> kind figure category transients
      {offsets = array<i64: 192>}
  nlprt.buffer @sum : memref<16xf32> kind accumulator category gradients
      {offsets = array<i64: 256>}
  nlprt.routine @f kind forward {
    %p = nlprt.get @p : memref<32xf32>
    %tokens = nlprt.get @tokens : memref<1x1xi32>
    %sum = nlprt.get @sum : memref<16xf32>
    %t = nlprt.alloc transients {offset = 320} : memref<16xf32>
    nlprt.launch "embedding"(%p, %tokens) to(%t)
        : (memref<32xf32>, memref<1x1xi32>) -> memref<16xf32>
    nlprt.accumulate first(%t) to(%sum) : (memref<16xf32>) -> memref<16xf32>
  }
  nlprt.routine @e kind evaluate {
    %p = nlprt.get @p : memref<32xf32>
    %tokens = nlprt.get @tokens : memref<1x1xi32>
    %loss = nlprt.get @loss : memref<f32>
    // Over @sum and the transient of @f.
    %t = nlprt.alloc transients {offset = 256} : memref<32xf32>
    nlprt.launch "embedding"(%p, %tokens) to(%t)
        : (memref<32xf32>, memref<1x1xi32>) -> memref<32xf32>
    nlprt.launch "column_sum"(%t) to(%loss) : (memref<32xf32>) -> memref<f32>
  }
}
