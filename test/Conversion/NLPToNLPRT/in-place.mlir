// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 | FileCheck %s
// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 -nlprt-plan-memory \
// RUN:   -nlprt-verify-memory

nlp.parameter @p : tensor<4x4xf32> init ones
nlp.parameter @q : tensor<4x4xf32> init ones
nlp.step @step attributes {
    model = #nlp.model<name = "tiny", global_batch = 1, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@by_element, 0>]} {
  nlp.slot @s : tensor<4x4xf32>

  // CHECK-LABEL: nlprt.routine @by_element
  // CHECK:         %[[P:.*]] = nlprt.get @p
  // CHECK-NEXT:    nlprt.pointwise(%[[P]]) to(%[[P]])
  // CHECK-NOT:     nlprt.launch
  nlp.segment @by_element kind update {
    %p = nlp.read @p : tensor<4x4xf32>
    %n = nlp.neg %p : tensor<4x4xf32>
    nlp.assign @p, %n : tensor<4x4xf32>
  }

  // A transpose reads elements that it has overwritten.
  // CHECK-LABEL: nlprt.routine @not_by_element
  // CHECK:         %[[P:.*]] = nlprt.get @p
  // CHECK-NEXT:    %[[N:.*]] = nlprt.alloc transients : memref<4x4xf32>
  // CHECK-NEXT:    nlprt.launch "copy"(%[[P]]) to(%[[N]]) {params = {{.*}}shape = array<i64: 4, 4>
  // CHECK-NEXT:    nlprt.launch "copy"(%[[N]]) to(%[[P]]) {params = {{.*}}shape = array<i64: 16>
  nlp.segment @not_by_element kind update {
    %p = nlp.read @p : tensor<4x4xf32>
    %n = nlp.transpose %p [1, 0] : tensor<4x4xf32>
    nlp.assign @p, %n : tensor<4x4xf32>
  }

  // The parameter stands for the gradient, too, which the update reads
  // elsewhere than it writes the parameter.
  // CHECK-LABEL: nlprt.routine @other_operand
  // CHECK:         nlprt.launch "sgd"(%[[Q:.*]], %[[P:.*]], %[[Q]], %{{.*}}, %{{.*}}) to(%[[N:.*]], %{{.*}})
  // CHECK-NEXT:    nlprt.launch "copy"(%[[N]]) to(%[[P]])
  nlp.segment @other_operand kind update {
    %p = nlp.read @p : tensor<4x4xf32>
    %q = nlp.read @q : tensor<4x4xf32>
    %lr = nlp.runtime_scalar learning_rate : tensor<f64>
    %n, %v = nlp.sgd %q, %p velocity %q scalars %lr, %lr
        : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    nlp.assign @p, %n : tensor<4x4xf32>
  }

  // The old value is read once more between the new value and the assignment.
  // CHECK-LABEL: nlprt.routine @read_between
  // CHECK:         %[[P:.*]] = nlprt.get @p
  // CHECK-NEXT:    %[[N:.*]] = nlprt.alloc
  // CHECK-NEXT:    nlprt.pointwise(%[[P]]) to(%[[N]])
  // CHECK:         nlprt.pointwise(%[[P]]) to(%{{.*}})
  // CHECK:         nlprt.launch "copy"(%[[N]]) to(%[[P]])
  nlp.segment @read_between kind update {
    %p = nlp.read @p : tensor<4x4xf32>
    %n = nlp.neg %p : tensor<4x4xf32>
    %e = nlp.exp %p : tensor<4x4xf32>
    nlp.assign @p, %n : tensor<4x4xf32>
  }

  // Through a view, likewise.
  // CHECK-LABEL: nlprt.routine @view_between
  // CHECK:         %[[P:.*]] = nlprt.get @p
  // CHECK-NEXT:    %[[V:.*]] = nlprt.view %[[P]]
  // CHECK-NEXT:    %[[N:.*]] = nlprt.alloc
  // CHECK-NEXT:    nlprt.pointwise(%[[P]]) to(%[[N]])
  // CHECK:         nlprt.pointwise(%[[V]]) to(%{{.*}})
  // CHECK:         nlprt.launch "copy"(%[[N]]) to(%[[P]])
  nlp.segment @view_between kind update {
    %p = nlp.read @p : tensor<4x4xf32>
    %v = nlp.reshape %p : tensor<4x4xf32> -> tensor<16xf32>
    %n = nlp.neg %p : tensor<4x4xf32>
    %e = nlp.exp %v : tensor<16xf32>
    nlp.assign @p, %n : tensor<4x4xf32>
  }

  // Read again after the assignment: that is the new value.
  // CHECK-LABEL: nlprt.routine @read_after
  // CHECK:         %[[P:.*]] = nlprt.get @p
  // CHECK-NEXT:    nlprt.pointwise(%[[P]]) to(%[[P]])
  // CHECK:         nlprt.pointwise(%[[P]]) to(%{{.*}})
  nlp.segment @read_after kind update {
    %p = nlp.read @p : tensor<4x4xf32>
    %n = nlp.neg %p : tensor<4x4xf32>
    nlp.assign @p, %n : tensor<4x4xf32>
    %p2 = nlp.read @p : tensor<4x4xf32>
    %e = nlp.exp %p2 : tensor<4x4xf32>
  }

  // Assigned twice, and the first value is used after the second assignment.
  // CHECK-LABEL: nlprt.routine @assigned_twice
  // CHECK:         %[[P:.*]] = nlprt.get @p
  // CHECK:         nlprt.launch "fill"() to(%[[A:.*]]) {params = {value = 1.0
  // CHECK-NEXT:    nlprt.launch "copy"(%[[A]]) to(%[[P]])
  // CHECK-NEXT:    nlprt.launch "fill"() to(%[[P]]) {params = {value = 2.0
  // CHECK:         nlprt.pointwise(%[[A]]) to(%{{.*}})
  nlp.segment @assigned_twice kind update {
    %a = nlp.fill 1.0 : tensor<4x4xf32>
    nlp.assign @p, %a : tensor<4x4xf32>
    %b = nlp.fill 2.0 : tensor<4x4xf32>
    nlp.assign @p, %b : tensor<4x4xf32>
    %c = nlp.neg %a : tensor<4x4xf32>
  }

  // Two values, stored in the other order than they are computed.
  // CHECK-LABEL: nlprt.routine @crossed
  // CHECK:         %[[S:.*]] = nlprt.get @slot.s
  // CHECK:         nlprt.launch "fill"() to(%[[A:.*]]) {params = {value = 1.0
  // CHECK-NEXT:    nlprt.launch "fill"() to(%[[S]]) {params = {value = 2.0
  // CHECK-NEXT:    nlprt.launch "copy"(%[[A]]) to(%[[S]])
  nlp.segment @crossed kind forward {
    %a = nlp.fill 1.0 : tensor<4x4xf32>
    %b = nlp.fill 2.0 : tensor<4x4xf32>
    nlp.slot_store @s, %b : tensor<4x4xf32>
    nlp.slot_store @s, %a : tensor<4x4xf32>
  }

  // A view has no bytes of its own to be computed in place.
  // CHECK-LABEL: nlprt.routine @stored_view
  // CHECK:         nlprt.launch "fill"() to(%[[A:.*]]) {{.*}} -> memref<16xf32>
  // CHECK-NEXT:    %[[V:.*]] = nlprt.view %[[A]] : memref<16xf32> to memref<4x4xf32>
  // CHECK-NEXT:    nlprt.launch "copy"(%[[V]]) to(%{{.*}})
  nlp.segment @stored_view kind forward {
    %a = nlp.fill 1.0 : tensor<16xf32>
    %v = nlp.reshape %a : tensor<16xf32> -> tensor<4x4xf32>
    nlp.slot_store @s, %v : tensor<4x4xf32>
  }

  // What a symbol holds already is not copied onto itself.
  // CHECK-LABEL: nlprt.routine @onto_itself
  // CHECK-NEXT:    nlprt.get @p
  // CHECK-NOT:     nlprt.launch
  nlp.segment @onto_itself kind update {
    %p = nlp.read @p : tensor<4x4xf32>
    nlp.assign @p, %p : tensor<4x4xf32>
  }
}
// CHECK: }
