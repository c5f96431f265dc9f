// RUN: nlp-opt %s -convert-nlprt-to-llvm -split-input-file -verify-diagnostics

// Sizes in parameters that are not those of the buffers, of a library kernel
// and of a generated one; params-of-a-step.test changes every one.

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = []} {
  nlprt.routine @forward kind forward {
    %t = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
    %i = nlprt.alloc transients {offset = 128} : memref<2xi32>
    %o = nlprt.alloc transients {offset = 192} : memref<2x8xf32>
    // expected-error @+1 {{expected rows * width = 3200 elements in table, but got 'memref<4x8xf32>'}}
    nlprt.launch "embedding"(%t, %i) to(%o)
        {params = {rows = 4, width = 800, count = 2, dtype = 0}}
        : (memref<4x8xf32>, memref<2xi32>) -> memref<2x8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = []} {
  nlprt.routine @forward kind forward {
    %t = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
    %i = nlprt.alloc transients {offset = 128} : memref<2xi32>
    %o = nlprt.alloc transients {offset = 192} : memref<2x8xf32>
    // expected-error @+1 {{expected count = 1600000 elements in ids, but got 'memref<2xi32>'}}
    nlprt.launch "embedding"(%t, %i) to(%o)
        {params = {rows = 4, width = 8, count = 1600000, dtype = 0}}
        : (memref<4x8xf32>, memref<2xi32>) -> memref<2x8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = []} {
  nlprt.routine @forward kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<2x4xf32>
    %b = nlprt.alloc transients {offset = 64} : memref<4x8xf32>
    %o = nlprt.alloc transients {offset = 192} : memref<2x8xf32>
    // 2^62 * 2 * 4 = 2^65.
    // expected-error @+1 {{expected batch * m * k = more than 2^63 elements in a, but got 'memref<2x4xf32>'}}
    nlprt.launch "matmul"(%a, %b) to(%o)
        {params = {batch = 4611686018427387904, m = 2, n = 8, k = 4,
                   trans_a = 0, trans_b = 0, has_bias = 0, accumulate = 0,
                   dtype = 0}}
        : (memref<2x4xf32>, memref<4x8xf32>) -> memref<2x8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = []} {
  nlprt.routine @forward kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<2x4xf32>
    %b = nlprt.alloc transients {offset = 64} : memref<4x8xf32>
    %o = nlprt.alloc transients {offset = 192} : memref<2x8xf32>
    // expected-error @+1 {{expected 'm' of 1 or more, but got -2}}
    nlprt.launch "matmul"(%a, %b) to(%o)
        {params = {batch = 1, m = -2, n = 8, k = 4,
                   trans_a = 0, trans_b = 0, has_bias = 0, accumulate = 0,
                   dtype = 0}}
        : (memref<2x4xf32>, memref<4x8xf32>) -> memref<2x8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = []} {
  nlprt.routine @forward kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<2x4xf32>
    %b = nlprt.alloc transients {offset = 64} : memref<4x8xf32>
    %o = nlprt.alloc transients {offset = 192} : memref<2x8xf32>
    // expected-error @+1 {{expected 3 reads, as parameters say, but got 2}}
    nlprt.launch "matmul"(%a, %b) to(%o)
        {params = {batch = 1, m = 2, n = 8, k = 4, trans_a = 0, trans_b = 0,
                   has_bias = 1, accumulate = 0, dtype = 0}}
        : (memref<2x4xf32>, memref<4x8xf32>) -> memref<2x8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = []} {
  nlprt.routine @forward kind forward {
    %q = nlprt.alloc transients {offset = 0} : memref<1x2x2x4xf32>
    %o = nlprt.alloc transients {offset = 64} : memref<1x2x2x4xf32>
    %l = nlprt.alloc transients {offset = 128} : memref<1x2x2xf32>
    // Masks are 0, 1 and 2.
    // expected-error @+1 {{expected parameters that kernel 'attention' supports, but got}}
    nlprt.launch "attention"(%q, %q, %q) to(%o, %l)
        {params = {batch = 1, queries = 2, keys = 2, heads = 2, kv_heads = 2,
                   dim = 4, mask = 3, window = 0, scale = 0.5, dropout = 0.0,
                   site = 0, dtype = 0}}
        : (memref<1x2x2x4xf32>, memref<1x2x2x4xf32>, memref<1x2x2x4xf32>)
        -> (memref<1x2x2x4xf32>, memref<1x2x2xf32>)
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %y = nlprt.alloc transients {offset = 128} : memref<8xf32>
    // expected-error @+1 {{expected in elements within the 32 of the buffer, but strides reach beyond 2^63}}
    nlprt.launch "copy"(%x) to(%y)
        {params = {shape = array<i64: 4, 2>,
                   in_strides = array<i64: 9223372036854775807, 1>,
                   in_offset = 0, out_strides = array<i64: 2, 1>,
                   out_offset = 0}}
        : (memref<32xf32>) -> memref<8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 512, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %y = nlprt.alloc transients {offset = 128} : memref<8xf32>
    // expected-error @+1 {{expected a shape of sizes of 1 or more and at most the 8 elements of the result, but got [4, 1000000]}}
    nlprt.launch "copy"(%x) to(%y)
        {params = {shape = array<i64: 4, 1000000>, in_strides = array<i64: 0, 0>,
                   in_offset = 0, out_strides = array<i64: 0, 0>,
                   out_offset = 0}}
        : (memref<32xf32>) -> memref<8xf32>
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 9,
    threads = 1, arena_bytes = 256, runs = []} {
  nlprt.routine @forward kind forward {
    %x = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<4xi32>
    %l = nlprt.alloc transients {offset = 192} : memref<f32>
    %s = nlprt.alloc transients {offset = 192} : memref<4xf32>
    // expected-error @+1 {{expected rows of 9 logits or more, the program's vocab_size, but got 8}}
    nlprt.launch "cross_entropy_grad"(%l, %x, %t, %s) to(%x)
        {params = {normalizer = 1.0}}
        : (memref<f32>, memref<4x8xf32>, memref<4xi32>, memref<4xf32>)
        -> (memref<4x8xf32>)
  }
}

// -----

nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 64, runs = []} {
  nlprt.routine @forward kind forward {
    // expected-error @+1 {{expected 128 bytes within the arena of 64, but got offset 0}}
    %x = nlprt.alloc transients {offset = 0} : memref<4x8xf32>
  }
}
