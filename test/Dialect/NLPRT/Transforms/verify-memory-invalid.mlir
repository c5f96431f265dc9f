// RUN: nlp-opt %s -split-input-file -nlprt-verify-memory -verify-diagnostics

// expected-error @+1 {{has no arena_bytes}}
nlprt.program @no_arena attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1,
    runs = []} {
}

// -----

nlprt.program @alloc_without_place attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    // expected-error @+1 {{has no place in the arena}}
    %a = nlprt.alloc transients : memref<32xf32>
  }
}

// -----

// Whether used or not.
nlprt.program @buffer_without_place attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  // expected-error @+1 {{has no place in the arena}}
  nlprt.buffer @p : memref<32xf32> kind parameter category parameters
  nlprt.routine @f kind forward {
  }
}

// -----

nlprt.program @alloc_outside attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    // expected-error @+1 {{expected a place within the arena of 256 bytes, but got 128 bytes at 192}}
    %a = nlprt.alloc transients {offset = 192} : memref<32xf32>
  }
}

// -----

nlprt.program @instance_outside attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>]} {
  // expected-error @+1 {{expected a place within the arena of 256 bytes, but got 128 bytes at 256}}
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {instances = 2, offsets = array<i64: 0, 256>}
  nlprt.routine @f kind forward {
  }
}

// -----

// The end of the buffer leaves int64.
nlprt.program @far_outside attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    // expected-error @+1 {{expected a place within the arena of 256 bytes, but got 128 bytes at 9223372036854775744}}
    %a = nlprt.alloc transients {offset = 9223372036854775744} : memref<32xf32>
  }
}

// -----

// b begins in the middle of a.
nlprt.program @overwritten attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 64} : memref<32xf32>
    %c = nlprt.alloc transients {offset = 192} : memref<16xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    nlprt.launch "fill"() to(%b) : () -> memref<32xf32>
    // expected-error @+1 {{reads a buffer of the routine at 0, which a buffer of the routine holds}}
    nlprt.launch "copy"(%a) to(%c) : (memref<32xf32>) -> memref<16xf32>
  }
}

// -----

nlprt.program @never_written attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 128} : memref<32xf32>
    // expected-error @+1 {{reads a buffer of the routine at 0, which nothing holds}}
    nlprt.launch "copy"(%a) to(%b) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

nlprt.program @half_written attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 128} : memref<32xf32>
    %half = nlprt.view %a : memref<32xf32> to memref<16xf32>
    nlprt.launch "fill"() to(%half) : () -> memref<16xf32>
    // expected-error @+1 {{reads a buffer of the routine at 0, which nothing holds}}
    nlprt.launch "copy"(%a) to(%b) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// a is dead after the copy, but not during it.
nlprt.program @over_read attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 64} : memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    // expected-error @+1 {{uses a buffer of the routine at 0, but writes a buffer of the routine over it}}
    nlprt.launch "copy"(%a) to(%b) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// Two results of one launch.
nlprt.program @over_write attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 0} : memref<32xf32>
    // expected-error @+1 {{uses a buffer of the routine at 0, but writes a buffer of the routine over it}}
    nlprt.pointwise() to(%a, %b) : () -> (memref<32xf32>, memref<32xf32>) {
      %0 = arith.constant 0.0 : f32
      nlprt.yield %0, %0 : f32, f32
    }
  }
}

// -----

nlprt.program @workspace_over_read attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 128} : memref<32xf32>
    %w = nlprt.alloc workspace {offset = 64} : memref<64xi8>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    // expected-error @+1 {{uses a buffer of the routine at 0, but writes a buffer of the routine over it}}
    nlprt.launch "copy"(%a) to(%b, %w)
        : (memref<32xf32>) -> (memref<32xf32>, memref<64xi8>)
  }
}

// -----

// The gradient may take the place of reads 0 and 1, not of the weight.
nlprt.program @not_in_place attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 128} : memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    // expected-error @+1 {{has write 0 over read 2, which its kernel does not do in place}}
    nlprt.launch "rms_norm_grad"(%a, %a, %a, %a) to(%a, %b)
        : (memref<32xf32>, memref<32xf32>, memref<32xf32>, memref<32xf32>)
        -> (memref<32xf32>, memref<32xf32>)
  }
}

// -----

// Elements are written before others are read.
nlprt.program @partly_in_place attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 0} : memref<48xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<48xf32>
    %head = nlprt.view %a : memref<48xf32> to memref<32xf32>
    %tail = nlprt.view %a {offset = 64} : memref<48xf32> to memref<32xf32>
    // expected-error @+1 {{has write 0 over read 0, which its kernel does not do in place}}
    nlprt.pointwise(%head) to(%tail) : (memref<32xf32>) -> memref<32xf32> {
    ^bb0(%x: f32):
      nlprt.yield %x : f32
    }
  }
}

// -----

// Another segment writes over the slot between forward and backward.
nlprt.program @slot_between_passes attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>, #nlprt.run<@g, 0>, #nlprt.run<@b, 0>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.launch "fill"() to(%s) : () -> memref<32xf32>
  }
  nlprt.routine @g kind forward {
    %x = nlprt.alloc transients {offset = 64} : memref<32xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<32xf32>
    // expected-error @+1 {{reads s at 0, which a buffer of the routine holds}}
    nlprt.launch "copy"(%s) to(%t) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// F0 F1 B0 B1 needs two instances; the second forward pass writes over the
// first one.
nlprt.program @slot_instances attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>, #nlprt.run<@b, 0>,
            #nlprt.run<@b, 1>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.launch "fill"() to(%s) : () -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<32xf32>
    // expected-error @+1 {{reads s at 0, which s holds}}
    nlprt.launch "copy"(%s) to(%t) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

nlprt.program @slot_instances_overlap attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>, #nlprt.run<@b, 0>,
            #nlprt.run<@b, 1>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {instances = 2, offsets = array<i64: 0, 64>}
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.launch "fill"() to(%s) : () -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<32xf32>
    // expected-error @+1 {{reads s at 0, which s holds}}
    nlprt.launch "copy"(%s) to(%t) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

nlprt.program @slot_before_store attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@b, 0>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {offsets = array<i64: 0>}
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<32xf32>
    // expected-error @+1 {{reads s at 0, which nothing holds}}
    nlprt.launch "copy"(%s) to(%t) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// The first addition overwrites; this one finds nothing to add to.
nlprt.program @accumulator_without_first attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.buffer @sum : memref<32xf32> kind accumulator category gradients
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %sum = nlprt.get @sum : memref<32xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<32xf32>
    nlprt.launch "fill"() to(%t) : () -> memref<32xf32>
    // expected-error @+1 {{reads sum at 0, which nothing holds}}
    nlprt.accumulate(%t) to(%sum) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// A product that adds reads what it adds to, too, except where it is the first.
nlprt.program @product_without_first attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.buffer @sum : memref<4x4xf32> kind accumulator category gradients
      {offsets = array<i64: 0>}
  nlprt.buffer @other : memref<4x4xf32> kind accumulator category gradients
      {offsets = array<i64: 64>}
  nlprt.routine @f kind forward {
    %sum = nlprt.get @sum : memref<4x4xf32>
    %other = nlprt.get @other : memref<4x4xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<4x4xf32>
    nlprt.launch "fill"() to(%t) : () -> memref<4x4xf32>
    nlprt.launch "matmul"(%t, %t) to(%other)
        {params = {accumulate = 1 : i64, first = 1 : i64}}
        : (memref<4x4xf32>, memref<4x4xf32>) -> memref<4x4xf32>
    // expected-error @+1 {{reads sum at 0, which nothing holds}}
    nlprt.launch "matmul"(%t, %t) to(%sum) {params = {accumulate = 1 : i64}}
        : (memref<4x4xf32>, memref<4x4xf32>) -> memref<4x4xf32>
  }
}

// -----

// Micro-batch 0 has to come first.
nlprt.program @accumulator_order attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 1>, #nlprt.run<@f, 0>]} {
  nlprt.buffer @sum : memref<32xf32> kind accumulator category gradients
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %sum = nlprt.get @sum : memref<32xf32>
    %t = nlprt.alloc transients {offset = 128} : memref<32xf32>
    nlprt.launch "fill"() to(%t) : () -> memref<32xf32>
    // expected-error @+1 {{reads sum at 0, which nothing holds}}
    nlprt.accumulate first (%t) to(%sum) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// The second pass begins with a buffer over what the first has added up.
nlprt.program @accumulator_between_passes attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 320,
    runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>]} {
  nlprt.buffer @sum : memref<32xf32> kind accumulator category gradients
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %sum = nlprt.get @sum : memref<32xf32>
    %u = nlprt.alloc transients {offset = 64} : memref<32xf32>
    %t = nlprt.alloc transients {offset = 192} : memref<32xf32>
    nlprt.launch "fill"() to(%u) : () -> memref<32xf32>
    nlprt.launch "fill"() to(%t) : () -> memref<32xf32>
    // expected-error @+1 {{reads sum at 0, which a buffer of the routine holds}}
    nlprt.accumulate first(%t) to(%sum) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// Nothing reads it, but it is saved.
nlprt.program @parameter_overwritten attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  // expected-error @+1 {{is overwritten by a buffer of the routine}}
  nlprt.buffer @p : memref<32xf32> kind parameter category parameters
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients {offset = 64} : memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
  }
}

// -----

// The first step is good; the second reads what it left.
nlprt.program @parameter_read attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 320,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.buffer @p : memref<32xf32> kind parameter category parameters
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %p = nlprt.get @p : memref<32xf32>
    %a = nlprt.alloc transients {offset = 64} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 128} : memref<32xf32>
    // expected-error @+1 {{reads p at 0, which a buffer of the routine holds}}
    nlprt.launch "copy"(%p) to(%b) : (memref<32xf32>) -> memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
  }
}

// -----

// The training loop writes the one over the other.
nlprt.program @state_overwritten attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 320,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.buffer @p : memref<32xf32> kind parameter category parameters
      {offsets = array<i64: 0>}
  // expected-error @+1 {{is overwritten by q}}
  nlprt.buffer @m : memref<32xf32> kind state category optimizer
      {offsets = array<i64: 128>}
  nlprt.buffer @q : memref<32xf32> kind parameter category parameters
      {offsets = array<i64: 192>}
  nlprt.routine @f kind forward {
  }
}

// -----

nlprt.program @evaluation_overwrites attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  // expected-error @+1 {{is overwritten by a buffer of the routine}}
  nlprt.buffer @p : memref<32xf32> kind parameter category parameters
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
  }
  nlprt.routine @e kind evaluate {
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
  }
}

// -----

// Figures are read when all runs are done.
nlprt.program @figure_overwritten attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  // expected-error @+1 {{is overwritten by a buffer of the routine}}
  nlprt.buffer @loss : memref<f32> kind figure category transients
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %loss = nlprt.get @loss : memref<f32>
    %a = nlprt.alloc transients {offset = 0} : memref<32xf32>
    nlprt.launch "fill"() to(%loss) : () -> memref<f32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
  }
}

// -----

nlprt.program @figure_missing attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  // expected-error @+1 {{is overwritten by nothing}}
  nlprt.buffer @loss : memref<f32> kind figure category transients
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %loss = nlprt.get @loss : memref<f32>
  }
}

// -----

nlprt.program @input_overwritten attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>]} {
  nlprt.buffer @tokens : memref<4x8xi32> kind input category activations
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %tokens = nlprt.get @tokens : memref<4x8xi32>
    %a = nlprt.alloc transients {offset = 64} : memref<32xf32>
    %b = nlprt.alloc transients {offset = 192} : memref<16xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    // expected-error @+1 {{reads tokens at 0, which a buffer of the routine holds}}
    nlprt.launch "copy"(%tokens) to(%b) : (memref<4x8xi32>) -> memref<16xf32>
  }
}

// -----

// The training loop writes an input before the run that names it.
nlprt.program @input_overwrites attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = 256,
    runs = [#nlprt.run<@f, 0>, #nlprt.run<@b, 0>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {offsets = array<i64: 0>}
  nlprt.buffer @tokens : memref<4x8xi32> kind input category activations
      {offsets = array<i64: 0>}
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.launch "fill"() to(%s) : () -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    %tokens = nlprt.get @tokens : memref<4x8xi32>
    %t = nlprt.alloc transients {offset = 128} : memref<32xf32>
    // expected-error @+1 {{reads s at 0, which tokens holds}}
    nlprt.launch "copy"(%s) to(%t) : (memref<32xf32>) -> memref<32xf32>
  }
}
