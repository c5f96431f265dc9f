// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 | FileCheck %s

nlp.parameter @x : tensor<4x8x6xf32> init ones
nlp.parameter @w : tensor<6x10xf32> init ones
nlp.parameter @b : tensor<10xf32> init ones
nlp.parameter @table : tensor<9x6xbf16> init ones
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 4, seq_len = 8, vocab_size = 9>,
    schedule = [#nlp.run<@linear, 0>]} {
  // CHECK-LABEL: nlprt.routine @linear
  // CHECK-DAG:     %[[X:.*]] = nlprt.get @x
  // CHECK-DAG:     %[[W:.*]] = nlprt.get @w
  // CHECK-DAG:     %[[B:.*]] = nlprt.get @b
  // All leading dimensions are rows: m = 4 * 8. Flops: (2 * 6 + 1) * 32 * 10.
  // CHECK:         nlprt.launch "matmul"(%[[X]], %[[W]], %[[B]]) to(%[[Y:.*]]) {flops = 4160 : i64
  // CHECK-SAME:      params = {accumulate = 0 : i64, batch = 1 : i64, dtype = 0 : i64, has_bias = 1 : i64, k = 6 : i64, m = 32 : i64, n = 10 : i64, trans_a = 0 : i64, trans_b = 0 : i64}
  // Times the transpose of the weight as it is stored.
  // CHECK:         nlprt.launch "matmul"(%[[Y]], %[[W]]) to(%{{.*}}) {flops = 3840 : i64
  // CHECK-SAME:      has_bias = 0 : i64, k = 10 : i64, m = 32 : i64, n = 6 : i64, trans_a = 0 : i64, trans_b = 1 : i64}
  // x^T y: [6, 32] times [32, 10].
  // CHECK:         nlprt.launch "matmul"(%[[X]], %[[Y]]) to(%{{.*}}) {flops = 3840 : i64
  // CHECK-SAME:      k = 32 : i64, m = 6 : i64, n = 10 : i64, trans_a = 1 : i64, trans_b = 0 : i64}
  // y^T x: [10, 32] times [32, 6].
  // CHECK:         nlprt.launch "matmul"(%[[Y]], %[[X]]) to(%{{.*}}) {flops = 3840 : i64
  // CHECK-SAME:      k = 32 : i64, m = 10 : i64, n = 6 : i64, trans_a = 1 : i64, trans_b = 0 : i64}
  nlp.segment @linear kind forward {
    %x = nlp.read @x : tensor<4x8x6xf32>
    %w = nlp.read @w : tensor<6x10xf32>
    %b = nlp.read @b : tensor<10xf32>
    %y = nlp.linear %x, %w bias %b layout in_out
        : tensor<4x8x6xf32>, tensor<6x10xf32>, tensor<10xf32>
    %dx = nlp.linear %y, %w layout out_in : tensor<4x8x10xf32>, tensor<6x10xf32>
    %dw = nlp.linear_weight_grad %x, %y layout in_out
        : tensor<4x8x6xf32>, tensor<4x8x10xf32>
    %dwt = nlp.linear_weight_grad %x, %y layout out_in
        : tensor<4x8x6xf32>, tensor<4x8x10xf32>
  }

  // 32 rows of 6 out of a table of 9; bf16 is dtype 1.
  // CHECK-LABEL: nlprt.routine @embedding
  // CHECK-DAG:     %[[T:.*]] = nlprt.get @table
  // CHECK-DAG:     %[[I:.*]] = nlprt.get @input.tokens : memref<4x8xi32>
  // CHECK:         nlprt.launch "embedding"(%[[T]], %[[I]]) to(%[[Y:.*]]) {params = {count = 32 : i64, dtype = 1 : i64, rows = 9 : i64, width = 6 : i64}}
  // CHECK:         nlprt.launch "embedding_grad"(%[[Y]], %[[I]]) to(%{{.*}}) {{.*}}params = {count = 32 : i64, dtype = 1 : i64, rows = 9 : i64, width = 6 : i64}
  nlp.segment @embedding kind forward {
    %t = nlp.read @table : tensor<9x6xbf16>
    %i = nlp.input tokens : tensor<4x8xi32>
    %y = nlp.embedding %t, %i : tensor<9x6xbf16>, tensor<4x8xi32>
    %dt = nlp.embedding_grad %y, %i rows 9 : tensor<4x8x6xbf16>, tensor<4x8xi32>
  }
}
