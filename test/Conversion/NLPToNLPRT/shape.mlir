// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 | FileCheck %s

nlp.parameter @x : tensor<2x6xf32> init ones
nlp.parameter @c : tensor<1x3x4xf32> init ones
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@reshape, 0>]} {
  // CHECK-LABEL: nlprt.routine @reshape
  // CHECK:         %[[X:.*]] = nlprt.get @x
  // CHECK-NEXT:    %[[V:.*]] = nlprt.view %[[X]] : memref<2x6xf32> to memref<12xf32>
  // CHECK-NEXT:    nlprt.alloc
  // CHECK-NEXT:    nlprt.pointwise(%[[V]])
  nlp.segment @reshape kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %v = nlp.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
    %y = nlp.neg %v : tensor<12xf32>
  }

  // Rows of the result, [6, 2], are columns of the input: strides 1 and 6.
  // CHECK-LABEL: nlprt.routine @transpose
  // CHECK:         nlprt.launch "copy"(%{{.*}}) to(%{{.*}}) {params = {in_offset = 0 : i64, in_strides = array<i64: 1, 6>, out_offset = 0 : i64, out_strides = array<i64: 2, 1>, shape = array<i64: 6, 2>}} : (memref<2x6xf32>) -> memref<6x2xf32>
  nlp.segment @transpose kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %y = nlp.transpose %x [1, 0] : tensor<2x6xf32>
  }

  // CHECK-LABEL: nlprt.routine @split
  // CHECK:         nlprt.launch "copy"(%[[X:.*]]) to(%[[A:.*]]) {params = {in_offset = 0 : i64, in_strides = array<i64: 6, 1>, out_offset = 0 : i64, out_strides = array<i64: 4, 1>, shape = array<i64: 2, 4>}} : (memref<2x6xf32>) -> memref<2x4xf32>
  // CHECK:         nlprt.launch "copy"(%[[X]]) to(%[[B:.*]]) {params = {in_offset = 4 : i64, in_strides = array<i64: 6, 1>, out_offset = 0 : i64, out_strides = array<i64: 2, 1>, shape = array<i64: 2, 2>}} : (memref<2x6xf32>) -> memref<2x2xf32>
  // Back in the other order: the first part is 2 wide.
  // CHECK:         nlprt.launch "copy"(%[[B]]) to(%[[C:.*]]) {params = {in_offset = 0 : i64, in_strides = array<i64: 2, 1>, out_offset = 0 : i64, out_strides = array<i64: 6, 1>, shape = array<i64: 2, 2>}}
  // CHECK:         nlprt.launch "copy"(%[[A]]) to(%[[C]]) {params = {in_offset = 0 : i64, in_strides = array<i64: 4, 1>, out_offset = 2 : i64, out_strides = array<i64: 6, 1>, shape = array<i64: 2, 4>}}
  nlp.segment @split kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %a, %b = nlp.split %x dim 1 [4, 2] : tensor<2x6xf32>
    %c = nlp.concat %b, %a dim 1 : tensor<2x2xf32>, tensor<2x4xf32>
  }

  // A range of whole rows is a view: one row of 6 floats is 24 bytes on.
  // CHECK-LABEL: nlprt.routine @slice_rows
  // CHECK:         %[[X:.*]] = nlprt.get @x
  // CHECK-NEXT:    %[[V:.*]] = nlprt.view %[[X]] {offset = 24 : i64} : memref<2x6xf32> to memref<1x6xf32>
  // CHECK-NEXT:    nlprt.alloc
  // CHECK-NEXT:    nlprt.pointwise(%[[V]])
  nlp.segment @slice_rows kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %v = nlp.slice %x dim 0 from 1 size 1 : tensor<2x6xf32>
    %y = nlp.neg %v : tensor<1x6xf32>
  }

  // So is one behind dimensions of size 1: 4 * 4 bytes on.
  // CHECK-LABEL: nlprt.routine @slice_behind_one
  // CHECK:         nlprt.view %{{.*}} {offset = 16 : i64} : memref<1x3x4xf32> to memref<1x2x4xf32>
  nlp.segment @slice_behind_one kind forward {
    %c = nlp.read @c : tensor<1x3x4xf32>
    %v = nlp.slice %c dim 1 from 1 size 2 : tensor<1x3x4xf32>
    %y = nlp.neg %v : tensor<1x2x4xf32>
  }

  // CHECK-LABEL: nlprt.routine @slice_columns
  // CHECK:         nlprt.launch "copy"(%{{.*}}) to(%{{.*}}) {params = {in_offset = 3 : i64, in_strides = array<i64: 6, 1>, out_offset = 0 : i64, out_strides = array<i64: 2, 1>, shape = array<i64: 2, 2>}}
  nlp.segment @slice_columns kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %y = nlp.slice %x dim 1 from 3 size 2 : tensor<2x6xf32>
  }

  // Parts of the outermost dimension are computed in their places, unless they
  // are needed by themselves. One row of 6 floats is 24 bytes.
  // CHECK-LABEL: nlprt.routine @concat_rows
  // CHECK:         %[[X:.*]] = nlprt.get @x
  // CHECK-NEXT:    %[[ALL:.*]] = nlprt.alloc transients : memref<7x6xf32>
  // CHECK-NEXT:    %[[FIRST:.*]] = nlprt.view %[[ALL]] : memref<7x6xf32> to memref<2x6xf32>
  // CHECK-NEXT:    nlprt.pointwise(%[[X]]) to(%[[FIRST]])
  // CHECK:         %[[OWN:.*]] = nlprt.alloc transients : memref<2x6xf32>
  // CHECK-NEXT:    nlprt.pointwise(%[[X]]) to(%[[OWN]])
  // CHECK:         %[[LAST:.*]] = nlprt.view %[[ALL]] {offset = 144 : i64} : memref<7x6xf32> to memref<1x6xf32>
  // CHECK-NEXT:    nlprt.pointwise(%{{.*}}) to(%[[LAST]])
  // CHECK:         nlprt.launch "copy"(%[[OWN]]) to(%[[ALL]]) {params = {{.*}}out_offset = 12
  // CHECK-NEXT:    nlprt.launch "copy"(%[[X]]) to(%[[ALL]]) {params = {{.*}}out_offset = 24
  // CHECK-NEXT:    nlprt.alloc
  nlp.segment @concat_rows kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %first = nlp.neg %x : tensor<2x6xf32>
    %own = nlp.exp %x : tensor<2x6xf32>
    %row = nlp.slice %x dim 0 from 1 size 1 : tensor<2x6xf32>
    %last = nlp.neg %row : tensor<1x6xf32>
    %all = nlp.concat %first, %own, %x, %last dim 0
        : tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<1x6xf32>
    %more = nlp.neg %own : tensor<2x6xf32>
  }

  // CHECK-LABEL: nlprt.routine @pad
  // CHECK:         %[[Y:.*]] = nlprt.alloc transients : memref<2x9xf32>
  // CHECK-NEXT:    nlprt.launch "fill"() to(%[[Y]]) {params = {value = 0.000000e+00 : f64}}
  // CHECK-NEXT:    nlprt.launch "copy"(%{{.*}}) to(%[[Y]]) {params = {in_offset = 0 : i64, in_strides = array<i64: 6, 1>, out_offset = 1 : i64, out_strides = array<i64: 9, 1>, shape = array<i64: 2, 6>}}
  nlp.segment @pad kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %y = nlp.pad %x dim 1 by 1, 2 : tensor<2x6xf32>
  }

  // Leading dimensions are rows: 1 * 3 of 4.
  // CHECK-LABEL: nlprt.routine @reduce_sum
  // CHECK:         %[[V:.*]] = nlprt.view %{{.*}} : memref<1x3x4xf32> to memref<3x4xf32>
  // CHECK:         nlprt.launch "column_sum"(%[[V]]) to(%{{.*}}) {flops = 12 : i64} : (memref<3x4xf32>) -> memref<4xf32>
  // CHECK:         nlprt.launch "column_sum"(%{{.*}}) to(%{{.*}}) {flops = 12 : i64} : (memref<12x1xf32>) -> memref<f32>
  nlp.segment @reduce_sum kind forward {
    %c = nlp.read @c : tensor<1x3x4xf32>
    %y = nlp.reduce_sum %c leading 2 : tensor<1x3x4xf32>
    %z = nlp.reduce_sum %c leading 3 : tensor<1x3x4xf32>
  }

  // CHECK-LABEL: nlprt.routine @fill
  // CHECK:         nlprt.launch "fill"() to(%{{.*}}) {params = {value = 1.500000e+00 : f64}} : () -> memref<2x3xf32>
  nlp.segment @fill kind forward {
    %x = nlp.fill 1.5 : tensor<2x3xf32>
  }
}
