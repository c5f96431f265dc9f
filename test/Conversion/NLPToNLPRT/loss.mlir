// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 | FileCheck %s

nlp.parameter @x : tensor<2x3x10xf32> init ones
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 3, vocab_size = 10>,
    schedule = [#nlp.run<@f, 0>]} {
  // CHECK-LABEL: nlprt.routine @f
  // CHECK-DAG:     %[[X:.*]] = nlprt.get @x : memref<2x3x10xf32>
  // CHECK-DAG:     %[[T:.*]] = nlprt.get @input.targets : memref<2x3xi32>
  // CHECK-DAG:     %[[FIGURE:.*]] = nlprt.get @figure.loss : memref<f32>
  // CHECK:         %[[LOSS:.*]] = nlprt.alloc transients : memref<f32>
  // CHECK-NEXT:    %[[LSE:.*]] = nlprt.alloc transients : memref<2x3xf32>
  // CHECK-NEXT:    nlprt.launch "cross_entropy"(%[[X]], %[[T]]) to(%[[LOSS]], %[[LSE]]) {{.*}}params = {normalizer = 6.000000e+00 : f64}
  // CHECK:         nlprt.launch "copy"(%[[LOSS]]) to(%[[FIGURE]])
  // CHECK:         nlprt.launch "cross_entropy_grad"(%[[LOSS]], %[[X]], %[[T]], %[[LSE]]) to(%{{.*}}) {{.*}}params = {normalizer = 6.000000e+00 : f64}
  nlp.segment @f kind forward {
    %x = nlp.read @x : tensor<2x3x10xf32>
    %t = nlp.input targets : tensor<2x3xi32>
    %loss, %lse = nlp.cross_entropy %x, %t normalizer 6.0
        : tensor<2x3x10xf32>, tensor<2x3xi32>
    nlp.report loss, %loss : tensor<f32>
    %dx = nlp.cross_entropy_grad %loss, %x, %t, %lse normalizer 6.0
        : tensor<2x3x10xf32>, tensor<2x3xi32>, tensor<2x3xf32>
  }
}
