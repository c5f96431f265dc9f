// RUN: nlp-opt %s -nlp-schedule | FileCheck %s

// Pure ops move freely on their side of the turn; accesses to different symbols
// may change places.

// CHECK-LABEL: nlp.segment @forward_backward kind forward_backward {
// CHECK-NEXT:    %[[B:.*]] = nlp.read @b
// CHECK-NEXT:    %[[N:.*]] = nlp.neg %[[B]]
// CHECK-NEXT:    %[[A:.*]] = nlp.read @a
// CHECK-NEXT:    nlp.turn
// CHECK-NEXT:    nlp.slot_accumulate @y, %[[N]]
// CHECK-NEXT:    nlp.slot_accumulate @x, %[[A]]
nlp.parameter @a : tensor<4xf32> init ones
nlp.parameter @b : tensor<4xf32> init ones
nlp.step @step {
  nlp.slot @x : tensor<4xf32> {accumulate}
  nlp.slot @y : tensor<4xf32> {accumulate}
  nlp.segment @forward_backward kind forward_backward attributes {
      order = #nlp.order<ops = [1, 2, 0, 3, 5, 4],
                         instances = [0, 0, 0, 0, 0, 0]>} {
    %a = nlp.read @a : tensor<4xf32>
    %b = nlp.read @b : tensor<4xf32>
    %n = nlp.neg %b : tensor<4xf32>
    nlp.turn
    nlp.slot_accumulate @x, %a : tensor<4xf32>
    nlp.slot_accumulate @y, %n : tensor<4xf32>
  }
}
