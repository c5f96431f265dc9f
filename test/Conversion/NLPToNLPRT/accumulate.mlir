// RUN: nlp-opt %s -split-input-file -convert-nlp-to-nlprt=threads=1 \
// RUN:   | FileCheck %s
// RUN: nlp-opt %s -split-input-file -nlp-to-runtime=threads=1 -o /dev/null

// Two micro-batches: the product adds to the slot itself, but for the first of
// the step, which overwrites. The sum of a column does not know how to.
nlp.parameter @x : tensor<2x4xf32> init ones
nlp.parameter @y : tensor<2x3xf32> init ones
// CHECK-LABEL: nlprt.program @micro_batches
nlp.step @micro_batches attributes {
    model = #nlp.model<name = "tiny", global_batch = 2, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@a, 0>, #nlp.run<@a, 1>]} {
  nlp.slot @w : tensor<4x3xf32> {accumulate}
  nlp.slot @b : tensor<3xf32> {accumulate}
  // CHECK-LABEL: nlprt.routine @a
  // CHECK-DAG:     %[[W:.*]] = nlprt.get @slot.w
  // CHECK-DAG:     %[[B:.*]] = nlprt.get @slot.b
  // CHECK-NOT:     nlprt.alloc
  // CHECK:         nlprt.launch "matmul"(%{{.*}}, %{{.*}}) to(%[[W]])
  // CHECK-SAME:      accumulate = 1 : i64, {{.*}}first = 1 : i64
  // CHECK:         %[[S:.*]] = nlprt.alloc transients : memref<3xf32>
  // CHECK:         nlprt.launch "column_sum"(%{{.*}}) to(%[[S]])
  // CHECK-NEXT:    nlprt.accumulate first(%[[S]]) to(%[[B]])
  nlp.segment @a kind forward {
    %x = nlp.read @x : tensor<2x4xf32>
    %y = nlp.read @y : tensor<2x3xf32>
    %w = nlp.linear_weight_grad %x, %y layout in_out
        : tensor<2x4xf32>, tensor<2x3xf32>
    nlp.slot_accumulate @w, %w : tensor<4x3xf32>
    %b = nlp.reduce_sum %y leading 1 : tensor<2x3xf32>
    nlp.slot_accumulate @b, %b : tensor<3xf32>
  }
}

// -----

// One micro-batch: the first product overwrites, the second adds. The third is
// used elsewhere, and the fourth is there before another addition: they cannot.
nlp.parameter @x : tensor<2x4xf32> init ones
nlp.parameter @y : tensor<2x3xf32> init ones
// CHECK-LABEL: nlprt.program @parts
nlp.step @parts attributes {
    model = #nlp.model<name = "tiny", global_batch = 1, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@a, 0>]} {
  nlp.slot @w : tensor<4x3xf32> {accumulate}
  nlp.slot @v : tensor<4x3xf32> {accumulate}
  // CHECK-DAG:     %[[W:.*]] = nlprt.get @slot.w
  // CHECK-DAG:     %[[V:.*]] = nlprt.get @slot.v
  // CHECK-NOT:     nlprt.alloc
  // CHECK:         nlprt.launch "matmul"(%{{.*}}, %{{.*}}) to(%[[W]])
  // CHECK-SAME:      accumulate = 0
  // CHECK-NOT:     nlprt.alloc
  // CHECK:         nlprt.launch "matmul"(%{{.*}}, %{{.*}}) to(%[[W]])
  // CHECK-SAME:      accumulate = 1
  // CHECK-NOT:       first
  // CHECK:         %[[THIRD:.*]] = nlprt.alloc
  // CHECK:         nlprt.launch "matmul"(%{{.*}}, %{{.*}}) to(%[[THIRD]])
  // CHECK-SAME:      accumulate = 0
  // CHECK:         %[[FOURTH:.*]] = nlprt.alloc
  // CHECK:         nlprt.launch "matmul"(%{{.*}}, %{{.*}}) to(%[[FOURTH]])
  // CHECK-SAME:      accumulate = 0
  // CHECK:         nlprt.accumulate(%[[THIRD]]) to(%[[W]])
  // CHECK-NEXT:    nlprt.accumulate(%[[FOURTH]]) to(%[[W]])
  nlp.segment @a kind forward {
    %x = nlp.read @x : tensor<2x4xf32>
    %y = nlp.read @y : tensor<2x3xf32>
    %1 = nlp.linear_weight_grad %x, %y layout in_out
        : tensor<2x4xf32>, tensor<2x3xf32>
    nlp.slot_accumulate @w, %1 : tensor<4x3xf32>
    %2 = nlp.linear_weight_grad %x, %y layout in_out
        : tensor<2x4xf32>, tensor<2x3xf32>
    nlp.slot_accumulate @w, %2 : tensor<4x3xf32>
    %3 = nlp.linear_weight_grad %x, %y layout in_out
        : tensor<2x4xf32>, tensor<2x3xf32>
    %4 = nlp.linear_weight_grad %x, %y layout in_out
        : tensor<2x4xf32>, tensor<2x3xf32>
    nlp.slot_accumulate @w, %3 : tensor<4x3xf32>
    nlp.slot_accumulate @w, %4 : tensor<4x3xf32>
    %5 = nlp.neg %3 : tensor<4x3xf32>
    nlp.slot_accumulate @v, %5 : tensor<4x3xf32>
  }
}
