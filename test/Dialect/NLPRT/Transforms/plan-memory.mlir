// RUN: nlp-opt %s -split-input-file -nlprt-plan-memory -nlprt-verify-memory \
// RUN:   | FileCheck %s

// Tables of lifetimes. memref<32xf32> has 128 bytes.
//
//   position  0     1      2
//   a        |128  128|              fill a, copy a to b, copy b to c
//   b              |128   128|
//   c                    |128|
//
// At most two are live: 256 bytes. a and c have one place.
// CHECK-LABEL: nlprt.program @chain attributes {arena_bytes = 256 : i64
// CHECK:         nlprt.alloc transients {offset = [[A:[0-9]+]] : i64}
// CHECK:         nlprt.alloc transients {offset = [[B:[0-9]+]] : i64}
// CHECK:         nlprt.alloc transients {offset = [[A]] : i64}
nlprt.program @chain attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients : memref<32xf32>
    %b = nlprt.alloc transients : memref<32xf32>
    %c = nlprt.alloc transients : memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    nlprt.launch "copy"(%a) to(%b) : (memref<32xf32>) -> memref<32xf32>
    nlprt.launch "copy"(%b) to(%c) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// Whole cache lines: 4 bytes take 64, 68 bytes take 128, 64 bytes 64.
// 64 + 128 + 64 = 256.
// CHECK-LABEL: nlprt.program @lines attributes {arena_bytes = 256 : i64
nlprt.program @lines attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients : memref<1xf32>
    %b = nlprt.alloc transients : memref<17xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<1xf32>
    nlprt.launch "fill"() to(%b) : () -> memref<17xf32>
    %c = nlprt.alloc transients : memref<16xf32>
    nlprt.launch "matmul"(%a, %b) to(%c)
        : (memref<1xf32>, memref<17xf32>) -> memref<16xf32>
  }
}

// -----

// A view keeps its source live.
//
//   position   0     1      2
//   a         |128  128    128|      fill a, fill b, copy half of a to c
//   b              |128|
//   c                    |64|
//
// 128 + 128 = 256, and c lies where b was.
// CHECK-LABEL: nlprt.program @views attributes {arena_bytes = 256 : i64
nlprt.program @views attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>]} {
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients : memref<32xf32>
    %b = nlprt.alloc transients : memref<32xf32>
    %c = nlprt.alloc transients : memref<16xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    nlprt.launch "fill"() to(%b) : () -> memref<32xf32>
    %half = nlprt.view %a {offset = 64} : memref<32xf32> to memref<16xf32>
    nlprt.launch "copy"(%half) to(%c) : (memref<16xf32>) -> memref<16xf32>
  }
}

// -----

// Two micro-batches in turn, F0 B0 F1 B1: the instances of the slot are not
// live together, so one place of 128 bytes does for both.
// CHECK-LABEL: nlprt.program @slots_in_turn attributes {arena_bytes = 128 : i64
// CHECK:         nlprt.buffer @s {{.*}} {instances = 2 : i64, offsets = array<i64: 0, 0>}
nlprt.program @slots_in_turn attributes {
    model = "", global_batch = 2, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>, #nlprt.run<@b, 0>,
                         #nlprt.run<@f, 1>, #nlprt.run<@b, 1>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {instances = 2}
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.launch "fill"() to(%s) : () -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.pointwise(%s) to(%s) : (memref<32xf32>) -> memref<32xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }
}

// -----

// F0 F1 B0 B1: both instances are live between F1 and B0.
// 2 * 128 = 256. The transient of B (128 bytes) lies beside both in B0, but
// beside the second alone in B1; its place is one, so 3 * 128 = 384.
// CHECK-LABEL: nlprt.program @slots_together attributes {arena_bytes = 384 : i64
// CHECK:         nlprt.buffer @s {{.*}} offsets = array<i64: [[S0:[0-9]+]], [[S1:[0-9]+]]>}
// CHECK:         nlprt.alloc transients {offset = [[T:[0-9]+]] : i64}
nlprt.program @slots_together attributes {
    model = "", global_batch = 2, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>,
                         #nlprt.run<@b, 0>, #nlprt.run<@b, 1>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {instances = 2}
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.launch "fill"() to(%s) : () -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    %t = nlprt.alloc transients : memref<32xf32>
    nlprt.launch "copy"(%s) to(%t) : (memref<32xf32>) -> memref<32xf32>
  }
}

// -----

// An accumulator lives from its first addition on: not beside what only the
// start of the first pass needs, but beside all of the second.
//
//   run       b, 0            b, 1            u
//   t        |256  256|      |256  256|
//   sum           |128 128 128 128 128 128 128|
//
// At the additions 256 + 128 = 384.
// CHECK-LABEL: nlprt.program @accumulators attributes {arena_bytes = 384 : i64
nlprt.program @accumulators attributes {
    model = "", global_batch = 2, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@b, 0>, #nlprt.run<@b, 1>,
                         #nlprt.run<@u, 0>]} {
  nlprt.buffer @sum : memref<32xf32> kind accumulator category gradients
  nlprt.routine @b kind backward {
    %sum = nlprt.get @sum : memref<32xf32>
    %t = nlprt.alloc transients : memref<2x32xf32>
    nlprt.launch "fill"() to(%t) : () -> memref<2x32xf32>
    %v = nlprt.view %t {offset = 128} : memref<2x32xf32> to memref<32xf32>
    nlprt.accumulate first(%v) to(%sum) : (memref<32xf32>) -> memref<32xf32>
  }
  nlprt.routine @u kind update {
    %sum = nlprt.get @sum : memref<32xf32>
    nlprt.pointwise(%sum) to(%sum) : (memref<32xf32>) -> memref<32xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }
}

// -----

// With one micro-batch the place is free before the addition: u comes first.
//
//   position   0     1      2     3
//   u         |256  256|                  fill u, copy u to t, add t to sum
//   t              |128   128|
//   sum                  |128    128|
//
// 256 + 128 = 384 at 1; at 2 sum lies where u was.
// CHECK-LABEL: nlprt.program @accumulator_begins attributes {arena_bytes = 384 : i64
nlprt.program @accumulator_begins attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@b, 0>, #nlprt.run<@u, 0>]} {
  nlprt.buffer @sum : memref<32xf32> kind accumulator category gradients
  nlprt.routine @b kind backward {
    %sum = nlprt.get @sum : memref<32xf32>
    %u = nlprt.alloc transients : memref<64xf32>
    %t = nlprt.alloc transients : memref<32xf32>
    nlprt.launch "fill"() to(%u) : () -> memref<64xf32>
    nlprt.launch "copy"(%u) to(%t) : (memref<64xf32>) -> memref<32xf32>
    nlprt.accumulate first(%t) to(%sum) : (memref<32xf32>) -> memref<32xf32>
  }
  nlprt.routine @u kind update {
    %sum = nlprt.get @sum : memref<32xf32>
    nlprt.pointwise(%sum) to(%sum) : (memref<32xf32>) -> memref<32xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }
}

// -----

// An input is written before the run: it lies beside what the run has before
// its first read, and its place is free after the last.
//
//   position  (start)  0     1     2
//   input    |128      128   128|          fill a, copy input to b, copy b to c
//   a                 |128|
//   b                       |128   128|
//   c                             |128|
//
// Two at a time: 256. Nothing is live between the runs.
// CHECK-LABEL: nlprt.program @inputs attributes {arena_bytes = 256 : i64
nlprt.program @inputs attributes {
    model = "", global_batch = 2, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>]} {
  nlprt.buffer @tokens : memref<4x8xi32> kind input category activations
  nlprt.routine @f kind forward {
    %tokens = nlprt.get @tokens : memref<4x8xi32>
    %a = nlprt.alloc transients : memref<32xf32>
    %b = nlprt.alloc transients : memref<32xi32>
    %c = nlprt.alloc transients : memref<32xi32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    nlprt.launch "copy"(%tokens) to(%b) : (memref<4x8xi32>) -> memref<32xi32>
    nlprt.launch "copy"(%b) to(%c) : (memref<32xi32>) -> memref<32xi32>
  }
}

// -----

// An input that a routine names is written even if nothing reads it: not over
// the slot, which is live from run to run. 128 + 128 = 256.
// CHECK-LABEL: nlprt.program @unread_input attributes {arena_bytes = 256 : i64
nlprt.program @unread_input attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>, #nlprt.run<@b, 0>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
  nlprt.buffer @tokens : memref<4x8xi32> kind input category activations
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.launch "fill"() to(%s) : () -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    %tokens = nlprt.get @tokens : memref<4x8xi32>
    nlprt.pointwise(%s) to(%s) : (memref<32xf32>) -> memref<32xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }
}

// -----

// Parameters, state, scalars and figures live throughout: 128 + 128 + 64 + 64.
// The buffers of training (128) and of evaluation (256) are never live
// together, but lie beside those: 384 + 256 = 640.
// CHECK-LABEL: nlprt.program @lasting attributes {arena_bytes = 640 : i64
nlprt.program @lasting attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@u, 0>]} {
  nlprt.buffer @p : memref<32xf32> kind parameter category parameters
  nlprt.buffer @m : memref<32xf32> kind state category optimizer
  nlprt.buffer @lr : memref<f64> kind scalar category transients
  nlprt.buffer @loss : memref<f32> kind figure category transients
  nlprt.routine @u kind update {
    %p = nlprt.get @p : memref<32xf32>
    %t = nlprt.alloc transients : memref<32xf32>
    nlprt.launch "copy"(%p) to(%t) : (memref<32xf32>) -> memref<32xf32>
  }
  nlprt.routine @e kind evaluate {
    %p = nlprt.get @p : memref<32xf32>
    %loss = nlprt.get @loss : memref<f32>
    %t = nlprt.alloc transients : memref<64xf32>
    nlprt.launch "fill"() to(%t) : () -> memref<64xf32>
    nlprt.launch "matmul"(%t, %p) to(%loss)
        : (memref<64xf32>, memref<32xf32>) -> memref<f32>
  }
}

// -----

// One routine runs twice. Its buffers have the same places in both runs: a may
// not lie where the slot is between the runs, although the first run, where a
// is dead by then, would allow it.
//
//   run        f, 0            f, 1          b, 0    b, 1
//   a         |128  128|      |128  128|
//   s[0]            |128 128 128  128  128 128 128|
//   s[1]                            |128 128  128 128 128|
//
// a beside s[0] in the second run, and s[0] beside s[1]: s[1] may not lie over
// a, for it is written when a is read. 3 * 128 = 384.
// CHECK-LABEL: nlprt.program @several_runs attributes {arena_bytes = 384 : i64
nlprt.program @several_runs attributes {
    model = "", global_batch = 2, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>,
                         #nlprt.run<@b, 0>, #nlprt.run<@b, 1>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
      {instances = 2}
  nlprt.routine @f kind forward {
    %s = nlprt.get @s : memref<32xf32>
    %a = nlprt.alloc transients : memref<32xf32>
    nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
    nlprt.launch "copy"(%a) to(%s) : (memref<32xf32>) -> memref<32xf32>
  }
  nlprt.routine @b kind backward {
    %s = nlprt.get @s : memref<32xf32>
    nlprt.pointwise(%s) to(%s) : (memref<32xf32>) -> memref<32xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }
}

// -----

// What nothing uses has a place all the same: conversion asks for one.
// CHECK-LABEL: nlprt.program @unused attributes {arena_bytes = 128 : i64
// CHECK:         nlprt.buffer @s {{.*}} {offsets = array<i64: 0>}
// CHECK:         nlprt.alloc transients {offset = 0 : i64}
nlprt.program @unused attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = [#nlprt.run<@f, 0>]} {
  nlprt.buffer @s : memref<32xf32> kind slot category activations
  nlprt.routine @f kind forward {
    %a = nlprt.alloc transients : memref<32xf32>
  }
}

// -----

// CHECK-LABEL: nlprt.program @nothing attributes {arena_bytes = 0 : i64
nlprt.program @nothing attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
}
