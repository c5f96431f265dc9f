// RUN: nlp-opt %s -split-input-file -convert-nlp-to-nlprt=threads=3 \
// RUN:   | FileCheck %s

// Symbols, ports and figures of a step; the order of runs; what nothing else
// says: 2 sequences are read by each of 2 micro-batches.
// CHECK-LABEL: nlprt.program @step attributes {
// CHECK-SAME:    global_batch = 4 : i64
// CHECK-SAME:    micro_batch = 2 : i64
// CHECK-SAME:    model = "tiny"
// CHECK-SAME:    runs = [#nlprt.run<@f, 0>, #nlprt.run<@f, 1>, #nlprt.run<@u, 0>]
// CHECK-SAME:    seq_len = 8 : i64
// CHECK-SAME:    threads = 3 : i64
// CHECK-SAME:    vocab_size = 9 : i64
// CHECK-NEXT:  nlprt.buffer @p : memref<4xf32> kind parameter category parameters {frozen, init = 1 : i64}
// CHECK-NEXT:  nlprt.buffer @state.m : memref<4xf32> kind state category optimizer
// CHECK-NEXT:  nlprt.buffer @slot.s : memref<2x8xi32> kind slot category activations {instances = 2 : i64}
// CHECK-NEXT:  nlprt.buffer @slot.acc : memref<4xf32> kind accumulator category activations
// CHECK-NEXT:  nlprt.buffer @slot.grad : memref<4xf32> kind accumulator category gradients
// CHECK-NOT:   nlp.
// Targets are input 1, the gradient norm is figure 1, the step number scalar 7.
// CHECK-DAG:   nlprt.buffer @input.tokens : memref<2x8xi32> kind input category activations
// CHECK-DAG:   nlprt.buffer @input.targets : memref<2x8xi32> kind input category activations {port = 1 : i64}
// CHECK-DAG:   nlprt.buffer @figure.loss : memref<f32> kind figure category transients
// CHECK-DAG:   nlprt.buffer @figure.grad_norm : memref<f32> kind figure category transients {port = 1 : i64}
// CHECK-DAG:   nlprt.buffer @scalar.step_number : memref<i64> kind scalar category transients {port = 7 : i64}
// CHECK-DAG:   nlprt.routine @f kind forward
// CHECK-DAG:   nlprt.routine @u kind update
// CHECK-DAG:   nlprt.routine @e kind evaluate
nlp.parameter @p : tensor<4xf32> init ones {frozen}
nlp.state @m : tensor<4xf32> kind moment
nlp.step @step attributes {
    model = #nlp.model<name = "tiny", global_batch = 4, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>, #nlp.run<@f, 1>, #nlp.run<@u, 0>]} {
  nlp.slot @s : tensor<2x8xi32>
  nlp.slot @acc : tensor<4xf32> {accumulate}
  nlp.slot @grad : tensor<4xf32> {accumulate, parameter = @p}
  nlp.segment @f kind forward {
    %x = nlp.input tokens : tensor<2x8xi32>
    %t = nlp.input targets : tensor<2x8xi32>
  }
  nlp.segment @u kind update {
    %0 = nlp.fill 0.0 : tensor<f32>
    nlp.report loss, %0 : tensor<f32>
    nlp.report grad_norm, %0 : tensor<f32>
    %t = nlp.runtime_scalar step_number : tensor<i64>
  }
  nlp.segment @e kind evaluate {
  }
}

// -----

// One micro-batch: the first value is computed in the accumulator, the second
// contribution (a tied weight) is added. Both of the second segment are added.
nlp.parameter @x : tensor<4xf32> init ones
// CHECK-LABEL: nlprt.program @tied
nlp.step @tied attributes {
    model = #nlp.model<name = "tiny", global_batch = 1, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@a, 0>, #nlp.run<@b, 0>]} {
  nlp.slot @grad : tensor<4xf32> {accumulate, parameter = @x}
  // CHECK-LABEL: nlprt.routine @a
  // CHECK-DAG:     %[[X:.*]] = nlprt.get @x
  // CHECK-DAG:     %[[G:.*]] = nlprt.get @slot.grad
  // CHECK:         nlprt.pointwise(%[[X]]) to(%[[G]])
  // CHECK:         %[[Z:.*]] = nlprt.alloc transients : memref<4xf32>
  // CHECK:         nlprt.pointwise(%[[X]]) to(%[[Z]])
  // CHECK:         nlprt.accumulate(%[[Z]]) to(%[[G]])
  nlp.segment @a kind forward {
    %x = nlp.read @x : tensor<4xf32>
    %y = nlp.neg %x : tensor<4xf32>
    nlp.slot_accumulate @grad, %y : tensor<4xf32>
    %z = nlp.exp %x : tensor<4xf32>
    nlp.slot_accumulate @grad, %z : tensor<4xf32>
  }
  // CHECK-LABEL: nlprt.routine @b
  // CHECK-DAG:     %[[X:.*]] = nlprt.get @x
  // CHECK-DAG:     %[[G:.*]] = nlprt.get @slot.grad
  // CHECK:         nlprt.accumulate(%[[X]]) to(%[[G]])
  nlp.segment @b kind forward {
    %x = nlp.read @x : tensor<4xf32>
    nlp.slot_accumulate @grad, %x : tensor<4xf32>
  }
}

// -----

// What is accumulated but not computed here is copied.
nlp.parameter @x : tensor<2x2xf32> init ones
// CHECK-LABEL: nlprt.program @copied
// CHECK:         nlprt.launch "copy"(%[[X:.*]]) to(%[[G:.*]]) {params = {in_offset = 0 : i64, in_strides = array<i64: 1>, out_offset = 0 : i64, out_strides = array<i64: 1>, shape = array<i64: 4>}}
nlp.step @copied attributes {
    model = #nlp.model<name = "tiny", global_batch = 1, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@a, 0>]} {
  nlp.slot @grad : tensor<2x2xf32> {accumulate, parameter = @x}
  nlp.segment @a kind forward {
    %x = nlp.read @x : tensor<2x2xf32>
    nlp.slot_accumulate @grad, %x : tensor<2x2xf32>
  }
}

// -----

// Several micro-batches: the first addition overwrites in micro-batch 0 only,
// which the op decides at run time; the second one adds in each.
nlp.parameter @x : tensor<4xf32> init ones
// CHECK-LABEL: nlprt.program @micro_batches
nlp.step @micro_batches attributes {
    model = #nlp.model<name = "tiny", global_batch = 2, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@a, 0>, #nlp.run<@a, 1>]} {
  nlp.slot @grad : tensor<4xf32> {accumulate, parameter = @x}
  // CHECK-LABEL: nlprt.routine @a
  // CHECK-DAG:     %[[G:.*]] = nlprt.get @slot.grad
  // CHECK:         nlprt.pointwise(%{{.*}}) to(%[[Y:.*]]) {{.*}}(memref<4xf32>)
  // CHECK:         nlprt.accumulate first(%[[Y]]) to(%[[G]])
  // CHECK:         nlprt.accumulate(%[[Y]]) to(%[[G]])
  nlp.segment @a kind forward {
    %x = nlp.read @x : tensor<4xf32>
    %y = nlp.neg %x : tensor<4xf32>
    nlp.slot_accumulate @grad, %y : tensor<4xf32>
    nlp.slot_accumulate @grad, %y : tensor<4xf32>
  }
}

// -----

// Slots carry values between segments; the value is computed in the slot.
nlp.parameter @x : tensor<4xf32> init ones
// CHECK-LABEL: nlprt.program @slots
nlp.step @slots attributes {
    model = #nlp.model<name = "tiny", global_batch = 1, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>, #nlp.run<@b, 0>]} {
  nlp.slot @s : tensor<4xf32>
  nlp.slot @t : tensor<4xf32>
  // CHECK-LABEL: nlprt.routine @f
  // CHECK-DAG:     %[[S:.*]] = nlprt.get @slot.s
  // CHECK-DAG:     %[[T:.*]] = nlprt.get @slot.t
  // CHECK:         nlprt.pointwise(%{{.*}}) to(%[[S]])
  // Where one value is stored twice, the second place gets a copy.
  // CHECK:         nlprt.launch "copy"(%[[S]]) to(%[[T]])
  // CHECK:         nlprt.pointwise(%[[S]]) to(%{{.*}})
  nlp.segment @f kind forward {
    %x = nlp.read @x : tensor<4xf32>
    %y = nlp.neg %x : tensor<4xf32>
    nlp.slot_store @s, %y : tensor<4xf32>
    nlp.slot_store @t, %y : tensor<4xf32>
    %z = nlp.neg %y : tensor<4xf32>
  }
  // CHECK-LABEL: nlprt.routine @b
  // CHECK:         %[[S:.*]] = nlprt.get @slot.s
  // CHECK:         nlprt.pointwise(%[[S]])
  nlp.segment @b kind backward {
    %y = nlp.slot_load @s : tensor<4xf32>
    %z = nlp.neg %y : tensor<4xf32>
  }
}

// -----

// What is read on both sides of the turn counts as an activation.
nlp.parameter @x : tensor<4xf32> init ones
// CHECK-LABEL: nlprt.program @turn
nlp.step @turn attributes {
    model = #nlp.model<name = "tiny", global_batch = 1, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@fb, 0>]} {
  // CHECK-LABEL: nlprt.routine @fb
  // CHECK:         nlprt.alloc activations
  // CHECK:         nlprt.alloc transients
  // CHECK:         nlprt.alloc transients
  nlp.segment @fb kind forward_backward {
    %x = nlp.read @x : tensor<4xf32>
    %y = nlp.neg %x : tensor<4xf32>
    %z = nlp.exp %y : tensor<4xf32>
    nlp.turn
    %d = nlp.neg %y : tensor<4xf32>
  }
}
