// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 | FileCheck %s

nlp.parameter @x : tensor<2x4x8xf32> init ones
nlp.parameter @w : tensor<8xf32> init ones
nlp.parameter @b : tensor<8xf32> init zeros
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f, 0>]} {
  // CHECK-LABEL: nlprt.routine @f
  // CHECK-DAG:     %[[X:.*]] = nlprt.get @x
  // CHECK-DAG:     %[[W:.*]] = nlprt.get @w
  // CHECK-DAG:     %[[B:.*]] = nlprt.get @b
  // CHECK:         nlprt.launch "layer_norm"(%[[X]], %[[W]], %[[B]]) to(%[[Y:.*]], %[[M:.*]], %[[R:.*]]) {{.*}}params = {epsilon = 1.000000e-05 : f64}{{.*}} -> (memref<2x4x8xf32>, memref<2x4xf32>, memref<2x4xf32>)
  // CHECK:         nlprt.launch "layer_norm_grad"(%[[Y]], %[[X]], %[[W]], %[[M]], %[[R]]) to({{.*}} -> (memref<2x4x8xf32>, memref<8xf32>, memref<8xf32>)
  // CHECK:         nlprt.launch "rms_norm"(%[[X]], %[[W]]) to(%[[Y2:.*]], %[[R2:.*]]) {{.*}}params = {epsilon = 1.000000e-05 : f64}{{.*}} -> (memref<2x4x8xf32>, memref<2x4xf32>)
  // CHECK:         nlprt.launch "rms_norm_grad"(%[[Y2]], %[[X]], %[[W]], %[[R2]]) to({{.*}} -> (memref<2x4x8xf32>, memref<8xf32>)
  nlp.segment @f kind forward {
    %x = nlp.read @x : tensor<2x4x8xf32>
    %w = nlp.read @w : tensor<8xf32>
    %b = nlp.read @b : tensor<8xf32>
    %y, %m, %r = nlp.layer_norm %x, %w, %b eps 1.0e-5
        : tensor<2x4x8xf32>, tensor<8xf32>
    %dx, %dw, %db = nlp.layer_norm_grad %y, %x, %w, %m, %r
        : tensor<2x4x8xf32>, tensor<8xf32>, tensor<2x4xf32>
    %y2, %r2 = nlp.rms_norm %x, %w eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>
    %dx2, %dw2 = nlp.rms_norm_grad %y2, %x, %w, %r2
        : tensor<2x4x8xf32>, tensor<8xf32>, tensor<2x4xf32>
  }
}
