// RUN: nlp-opt %s -split-input-file -verify-diagnostics

nlprt.program @program_c1 attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{expected only buffers and routines in a program}}
  %x = nlprt.alloc transients : memref<4xf32>
}

// -----

// expected-error @+1 {{expected a routine of this program, but a run names @g}}
nlprt.program @program_c2 attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@g, 0>]} {
}

// -----

// A buffer is no routine.
// expected-error @+1 {{expected a routine of this program, but a run names @s}}
nlprt.program @program_c2_buffer attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@s, 0>]} {
  nlprt.buffer @s : memref<4xf32> kind state category optimizer
}

// -----

// expected-error @+1 {{expected micro-batches numbered from 0, but got 2 in 2 runs}}
nlprt.program @program_c3 attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 2>]} {
  nlprt.routine @f kind forward {
  }
}

// -----

// expected-error @+1 {{expected 1 to 4096 threads, but got 0}}
nlprt.program @program_c4_threads attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 0, runs = []} {
}

// -----

// expected-error @+1 {{expected arena_bytes of 0 or more, but got -64}}
nlprt.program @program_c4_arena attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, arena_bytes = -64, runs = []} {
}

// -----

// expected-error @+1 {{requires attribute 'global_batch'}}
"nlprt.program"() <{sym_name = "program_sizes"}> ({
^bb0:
}) : () -> ()

// -----

%x = nlprt.alloc transients : memref<4xf32>
// Nothing reaches into a program. expected-note @+1 {{required by region isolation constraints}}
nlprt.program @isolated attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  nlprt.routine @f kind forward {
    // expected-error @+1 {{using value defined outside the region}}
    %v = nlprt.view %x : memref<4xf32> to memref<2x2xf32>
  }
}

// -----

// expected-error @+1 {{expected a micro-batch of 0 or more, but got -1}}
#run_c1 = #nlprt.run<@f, -1>

// -----

nlprt.program @buffer_c1_kind attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>]} {
  // expected-error @+1 {{expected one instance, or more for a slot, but got 2}}
  nlprt.buffer @s : memref<4xf32> kind state category optimizer {instances = 2}
  nlprt.routine @f kind forward {
  }
}

// -----

nlprt.program @buffer_c1_none attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{expected one instance, or more for a slot, but got 0}}
  nlprt.buffer @s : memref<4xf32> kind slot category activations {instances = 0}
}

// -----

nlprt.program @buffer_c1_runs attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>]} {
  // expected-error @+1 {{expected no more instances than the 1 runs of the program, but got 1000000000000}}
  nlprt.buffer @s : memref<4xf32> kind slot category activations
      {instances = 1000000000000}
  nlprt.routine @f kind forward {
  }
}

// -----

nlprt.program @buffer_c2_count attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{expected 1 offsets, multiples of 64}}
  nlprt.buffer @s : memref<4xf32> kind state category optimizer
      {offsets = array<i64: 0, 64>}
}

// -----

nlprt.program @buffer_c2_multiple attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{expected 1 offsets, multiples of 64}}
  nlprt.buffer @s : memref<4xf32> kind state category optimizer
      {offsets = array<i64: 32>}
}

// -----

nlprt.program @buffer_c2_negative attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{expected 1 offsets, multiples of 64}}
  nlprt.buffer @s : memref<4xf32> kind state category optimizer
      {offsets = array<i64: -64>}
}

// -----

nlprt.program @buffer_dynamic attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of dense row-major memref}}
  nlprt.buffer @s : memref<?xf32> kind state category optimizer
}

// -----

nlprt.program @buffer_empty attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of dense row-major memref}}
  nlprt.buffer @s : memref<4x0xf32> kind state category optimizer
}

// -----

nlprt.program @buffer_element attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of dense row-major memref}}
  nlprt.buffer @s : memref<4xindex> kind state category optimizer
}

// -----

nlprt.program @buffer_strided attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of dense row-major memref}}
  nlprt.buffer @s : memref<4x4xf32, strided<[8, 1]>> kind state category optimizer
}

// -----

nlprt.program @buffer_space attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of dense row-major memref}}
  nlprt.buffer @s : memref<4xf32, 1> kind state category optimizer
}

// -----

nlprt.program @buffer_overflow attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of dense row-major memref}}
  nlprt.buffer @s : memref<9223372036854775807x3xf32> kind state category optimizer
}

// -----

nlprt.program @buffer_bytes attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of dense row-major memref}}
  nlprt.buffer @s : memref<18014398509481985xf32> kind state category optimizer
}

// -----

// expected-error @+1 {{expects parent op 'nlprt.program'}}
nlprt.buffer @buffer_parent : memref<4xf32> kind state category optimizer

// -----

// expected-error @+1 {{expects parent op 'nlprt.program'}}
nlprt.routine @routine_parent kind forward {
}

// -----

nlprt.program @routine_c1 attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  nlprt.routine @f kind forward {
    // expected-error @+1 {{expected only buffers and launches in a routine}}
    %x = memref.alloc() : memref<4xf32>
  }
}

// -----

nlprt.program @get_c1_unknown attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  nlprt.routine @f kind forward {
    // expected-error @+1 {{expected a buffer of type 'memref<4xf32>', but got @s}}
    %s = nlprt.get @s : memref<4xf32>
  }
}

// -----

nlprt.program @get_c1_type attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  nlprt.buffer @s : memref<2x2xf32> kind state category optimizer
  nlprt.routine @f kind forward {
    // expected-error @+1 {{expected a buffer of type 'memref<4xf32>', but got @s}}
    %s = nlprt.get @s : memref<4xf32>
  }
}

// -----

nlprt.program @get_c1_routine attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  nlprt.routine @f kind forward {
    // expected-error @+1 {{expected a buffer of type 'memref<4xf32>', but got @f}}
    %s = nlprt.get @f : memref<4xf32>
  }
}

// -----

// expected-error @+1 {{expected a buffer of type 'memref<4xf32>', but got @s}}
%get_c1_program = nlprt.get @s : memref<4xf32>

// -----

// expected-error @+1 {{expected an offset that is a multiple of 64, but got 100}}
%alloc_c1 = nlprt.alloc transients {offset = 100} : memref<4xf32>

// -----

// expected-error @+1 {{expected an offset that is a multiple of 64, but got -64}}
%alloc_c1_negative = nlprt.alloc transients {offset = -64} : memref<4xf32>

// -----

// expected-error @+1 {{result #0 must be dense row-major memref}}
%alloc_type = nlprt.alloc transients : memref<4xcomplex<f32>>

// -----

%x = nlprt.alloc transients : memref<4xf32>
// expected-error @+1 {{expected a view within the 16 bytes of its source, but got 16 bytes from 4}}
%view_c1_size = nlprt.view %x {offset = 4} : memref<4xf32> to memref<4xf32>

// -----

%x = nlprt.alloc transients : memref<4xf32>
// expected-error @+1 {{expected a view within the 16 bytes of its source, but got 4 bytes from -4}}
%view_c1_negative = nlprt.view %x {offset = -4} : memref<4xf32> to memref<f32>

// -----

%x = nlprt.alloc transients : memref<4xf32>
// expected-error @+1 {{expected a view within the 16 bytes of its source, but got 4 bytes from 9223372036854775804}}
%view_c1_overflow = nlprt.view %x {offset = 9223372036854775804} : memref<4xf32> to memref<f32>

// -----

%x = nlprt.alloc transients : memref<4xf32>
// expected-error @+1 {{expected an offset that is a multiple of 8, but got 4}}
%view_c2 = nlprt.view %x {offset = 4} : memref<4xf32> to memref<f64>

// -----

// expected-error @+1 {{expected 1 to 4096 threads, but got 9223372036854775807}}
nlprt.program @program_c4_many_threads attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 9223372036854775807, runs = []} {
}

// -----

// expected-error @+1 {{expected global_batch of 1 to 2^31 - 1, but got 0}}
nlprt.program @program_c5_batch attributes {
    model = "", global_batch = 0, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
}

// -----

// expected-error @+1 {{expected seq_len of 1 to 2^31 - 1, but got -1}}
nlprt.program @program_c5_length attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = -1, vocab_size = 1,
    threads = 1, runs = []} {
}

// -----

// expected-error @+1 {{expected vocab_size of 1 to 2^31 - 1, but got 9223372036854775807}}
nlprt.program @program_c5_vocabulary attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1,
    vocab_size = 9223372036854775807, threads = 1, runs = []} {
}
