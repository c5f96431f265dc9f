// RUN: nlp-opt %s -convert-nlprt-to-llvm -split-input-file -verify-diagnostics

// expected-error @+1 {{expected one nlprt.program in the module, but got 0}}
module {}

// -----

// expected-error @+1 {{expected arena_bytes: -nlprt-plan-memory must run first}}
nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 64, runs = []} {
  nlprt.routine @forward kind forward {
    // expected-error @+1 {{expected an arena offset: -nlprt-plan-memory must run first}}
    %x = nlprt.alloc transients : memref<4xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<4xi32>
    %l = nlprt.alloc transients {offset = 192} : memref<f32>
    %s = nlprt.alloc transients {offset = 192} : memref<4xf32>
    // Four rows of four bytes each.
    // expected-error @+1 {{expected a workspace of 16 bytes, but got 0}}
    nlprt.launch "cross_entropy"(%x, %t) to(%l, %s)
        {params = {normalizer = 1.0}}
        : (memref<4x8xf32>, memref<4xi32>) -> (memref<f32>, memref<4xf32>)
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
    %w = nlprt.alloc transients {offset = 128} : memref<4xf32>
    // expected-error @+1 {{expected 8 elements in buffer 1, but got 4}}
    nlprt.launch "rms_norm"(%x, %w) to(%x, %w) {params = {epsilon = 1.0e-5}}
        : (memref<4x8xf32>, memref<4xf32>) -> (memref<4x8xf32>, memref<4xf32>)
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
    // expected-error @+1 {{expected parameter 'value' of kernel 'fill'}}
    nlprt.launch "fill"() to(%x) : () -> memref<4x8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %y = nlprt.alloc transients {offset = 128} : memref<32xf32>
    // Rows of 8, from element 4: the last is 4 + 3 * 8 + 7 = 35.
    // expected-error @+1 {{expected in elements within the 32 of the buffer, but strides reach from 4 to 35}}
    nlprt.launch "copy"(%x) to(%y)
        {params = {shape = array<i64: 4, 8>, in_strides = array<i64: 8, 1>,
                   in_offset = 4, out_strides = array<i64: 2, 1>,
                   out_offset = 0}}
        : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
    // expected-error @+1 {{expected parameter 'n' of kernel 'matmul', an integer}}
    nlprt.launch "matmul"(%x, %x) to(%x) {params = {batch = 1, m = 4}}
        : (memref<4x8xf32>, memref<4x8xf32>) -> memref<4x8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<1x2x3x6xf32>
    // expected-error @+1 {{expected 3 frequencies, but got 2}}
    nlprt.launch "rope"(%x) to(%x)
        {params = {frequencies = array<f64: 1.0, 0.5>}}
        : (memref<1x2x3x6xf32>) -> memref<1x2x3x6xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<8xf32>
    %lr = nlprt.alloc transients {offset = 64} : memref<f64>
    // expected-error @+1 {{expected 6 reads, as parameters say, but got 5}}
    nlprt.launch "sgd"(%x, %x, %x, %lr, %lr) to(%x, %x)
        {params = {has_decay = 1}}
        : (memref<8xf32>, memref<8xf32>, memref<8xf32>, memref<f64>, memref<f64>)
        -> (memref<8xf32>, memref<8xf32>)
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<8xf32>
    nlprt.pointwise(%x) to(%x) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      // expected-error @+1 {{expected a scalar op of arith or math in a pointwise kernel, but got 'builtin.unrealized_conversion_cast'}}
      %0 = builtin.unrealized_conversion_cast %a : f32 to f32
      nlprt.yield %0 : f32
    }
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<4xi32>
    %l = nlprt.alloc transients {offset = 192} : memref<f32>
    // expected-error @+1 {{expected f32 elements in buffer 3, but got 'i32'}}
    nlprt.launch "cross_entropy"(%x, %t) to(%l, %t)
        {params = {normalizer = 1.0}}
        : (memref<4x8xf32>, memref<4xi32>) -> (memref<f32>, memref<4xi32>)
  }
}

// -----

// Two micro-batches of two sequences.
// expected-error @+1 {{expected global_batch = 4, 2 micro-batches of 2 as the runs say, but got 6}}
nlprt.program @step attributes {
    model = "", global_batch = 6, micro_batch = 2, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 0,
    runs = [#nlprt.run<@forward, 0>, #nlprt.run<@forward, 1>]} {
  nlprt.routine @forward kind forward {
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 2, seq_len = 4, vocab_size = 1,
    threads = 1, arena_bytes = 64, runs = []} {
  // expected-error @+1 {{expected 8 elements of a type that the port takes, but got 'memref<2x3xi32>'}}
  nlprt.buffer @tokens : memref<2x3xi32> kind input category activations {offsets = array<i64: 0>}
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 64, runs = []} {
  // expected-error @+1 {{expected port 0 to 1, but got 7}}
  nlprt.buffer @loss : memref<f32> kind figure category transients {port = 7, offsets = array<i64: 0>}
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 64, runs = []} {
  // expected-error @+1 {{expected init 0, 1 or 2, but got 99}}
  nlprt.buffer @w : memref<4xf32> kind parameter category parameters {init = 99, offsets = array<i64: 0>}
}
