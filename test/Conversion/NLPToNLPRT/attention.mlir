// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 | FileCheck %s

nlp.parameter @q : tensor<2x5x4x8xf32> init ones
nlp.parameter @k : tensor<2x5x2x8xf32> init ones
nlp.parameter @v : tensor<2x5x2x8xf32> init ones
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 5, vocab_size = 9>,
    schedule = [#nlp.run<@forward, 0>]} {
  // Sizes and options in the fields of the ABI: 4 heads on 2 key heads, causal
  // is mask 1, f32 is dtype 0.
  // CHECK-LABEL: nlprt.routine @forward
  // CHECK-DAG:     %[[Q:.*]] = nlprt.get @q : memref<2x5x4x8xf32>
  // CHECK-DAG:     %[[K:.*]] = nlprt.get @k : memref<2x5x2x8xf32>
  // CHECK-DAG:     %[[V:.*]] = nlprt.get @v : memref<2x5x2x8xf32>
  // CHECK:         %[[Y:.*]] = nlprt.alloc transients : memref<2x5x4x8xf32>
  // CHECK-NEXT:    %[[LSE:.*]] = nlprt.alloc transients : memref<2x4x5xf32>
  // CHECK-NEXT:    nlprt.launch "attention"(%[[Q]], %[[K]], %[[V]]) to(%[[Y]], %[[LSE]])
  // CHECK-SAME:      params = {batch = 2 : i64, dim = 8 : i64, dropout = 0.000000e+00 : f64, dtype = 0 : i64, heads = 4 : i64,
  // CHECK-SAME:      keys = 5 : i64, kv_heads = 2 : i64, mask = 1 : i64, queries = 5 : i64, scale = 5.000000e-01 : f64, site = 0 : i64, window = 0 : i64}
  // CHECK:         %[[DQ:.*]] = nlprt.alloc transients : memref<2x5x4x8xf32>
  // CHECK-NEXT:    %[[DK:.*]] = nlprt.alloc transients : memref<2x5x2x8xf32>
  // CHECK-NEXT:    %[[DV:.*]] = nlprt.alloc transients : memref<2x5x2x8xf32>
  // CHECK-NEXT:    nlprt.launch "attention_grad"(%[[Y]], %[[Q]], %[[K]], %[[V]], %[[Y]], %[[LSE]]) to(%[[DQ]], %[[DK]], %[[DV]])
  // CHECK-SAME:      mask = 1 : i64
  nlp.segment @forward kind forward {
    %q = nlp.read @q : tensor<2x5x4x8xf32>
    %k = nlp.read @k : tensor<2x5x2x8xf32>
    %v = nlp.read @v : tensor<2x5x2x8xf32>
    %y, %lse = nlp.attention causal %q, %k, %v scale 0.5
        : tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>
    %dq, %dk, %dv = nlp.attention_grad causal %y, %q, %k, %v, %y, %lse scale 0.5
        : tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x4x5xf32>
  }

  // Dropout reads two scalars more, and the number of its site.
  // CHECK-LABEL: nlprt.routine @dropout
  // CHECK-DAG:     %[[SEED:.*]] = nlprt.get @scalar.step_seed : memref<i64>
  // CHECK-DAG:     %[[FIRST:.*]] = nlprt.get @scalar.first_sequence : memref<i64>
  // CHECK:         nlprt.launch "attention"(%{{.*}}, %{{.*}}, %{{.*}}, %[[SEED]], %[[FIRST]])
  // CHECK-SAME:      dropout = 1.000000e-01 : f64
  // CHECK-SAME:      mask = 2 : i64
  // CHECK-SAME:      site = {{-?[1-9][0-9]*}} : i64, window = 3 : i64
  // CHECK:         nlprt.launch "attention_grad"({{.*}}, %[[SEED]], %[[FIRST]]) to(
  nlp.segment @dropout kind forward {
    %q = nlp.read @q : tensor<2x5x4x8xf32>
    %k = nlp.read @k : tensor<2x5x2x8xf32>
    %seed = nlp.runtime_scalar step_seed : tensor<i64>
    %first = nlp.runtime_scalar first_sequence : tensor<i64>
    %y, %lse = nlp.attention sliding_window %q, %k, %k seed %seed, %first scale 0.5
        {dropout = 0.1 : f64, site = "h.0.attn", window = 3 : i64}
        : tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>
    %dq, %dk, %dv = nlp.attention_grad sliding_window
        %y, %q, %k, %k, %y, %lse seed %seed, %first scale 0.5
        {dropout = 0.1 : f64, site = "h.0.attn", window = 3 : i64}
        : tensor<2x5x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x4x5xf32>
  }

  // CHECK-LABEL: nlprt.routine @rope
  // CHECK:         nlprt.launch "rope"(%[[X:.*]]) to(%[[Y:.*]]) {{.*}}params = {frequencies = array<f64: 1.000000e+00, 5.000000e-01, 2.500000e-01, 1.250000e-01>, inverse = 0 : i64}
  // CHECK:         nlprt.launch "rope"(%[[Y]]) to(%{{.*}}) {{.*}}inverse = 1 : i64
  nlp.segment @rope kind forward {
    %q = nlp.read @q : tensor<2x5x4x8xf32>
    %y = nlp.rope %q frequencies [1.0, 0.5, 0.25, 0.125] : tensor<2x5x4x8xf32>
    %z = nlp.rope %y frequencies [1.0, 0.5, 0.25, 0.125] {inverse = true}
        : tensor<2x5x4x8xf32>
  }
}
