// RUN: nlp-opt %s | nlp-opt | FileCheck %s
// RUN: nlp-opt %s --mlir-print-op-generic | nlp-opt | FileCheck %s

// CHECK-LABEL: func.func @launch
// CHECK-SAME:    (%[[X:.*]]: memref<8x64xf32>, %[[W:.*]]: memref<64xf32>, %[[R:.*]]: memref<8xf32>, %[[SPACE:.*]]: memref<2048xi8>)
func.func @launch(%x: memref<8x64xf32>, %w: memref<64xf32>, %r: memref<8xf32>,
                  %space: memref<2048xi8>) {
  // CHECK: nlprt.launch "layer_norm"(%[[X]], %[[W]], %[[W]]) to(%[[X]], %[[R]], %[[R]]) {flops = 4096 : i64, params = {epsilon = 1.000000e-05 : f64}} : (memref<8x64xf32>, memref<64xf32>, memref<64xf32>) -> (memref<8x64xf32>, memref<8xf32>, memref<8xf32>)
  nlprt.launch "layer_norm"(%x, %w, %w) to(%x, %r, %r)
      {params = {epsilon = 1.0e-5}, flops = 4096}
      : (memref<8x64xf32>, memref<64xf32>, memref<64xf32>)
      -> (memref<8x64xf32>, memref<8xf32>, memref<8xf32>)
  // A workspace is one write more.
  // CHECK: nlprt.launch "column_sum"(%[[X]]) to(%[[W]], %[[SPACE]]) {stream = 1 : i64} : (memref<8x64xf32>) -> (memref<64xf32>, memref<2048xi8>)
  nlprt.launch "column_sum"(%x) to(%w, %space) {stream = 1}
      : (memref<8x64xf32>) -> (memref<64xf32>, memref<2048xi8>)
  // CHECK: nlprt.launch "fill"() to(%[[X]]) {params = {value = 0.000000e+00 : f64}} : () -> memref<8x64xf32>
  nlprt.launch "fill"() to(%x) {params = {value = 0.0}}
      : () -> memref<8x64xf32>
  return
}

// CHECK-LABEL: func.func @pointwise
// CHECK-SAME:    (%[[X:.*]]: memref<8x64xf32>, %[[Y:.*]]: memref<64xbf16>)
func.func @pointwise(%x: memref<8x64xf32>, %y: memref<64xbf16>) {
  // CHECK: nlprt.pointwise(%[[X]], %[[Y]]) to(%[[X]]) {flops = 512 : i64} : (memref<8x64xf32>, memref<64xbf16>) -> memref<8x64xf32> {
  // CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: bf16):
  // CHECK:   %[[C:.*]] = arith.extf %[[B]] : bf16 to f32
  // CHECK:   %[[D:.*]] = arith.addf %[[A]], %[[C]] : f32
  // CHECK:   nlprt.yield %[[D]] : f32
  nlprt.pointwise(%x, %y) to(%x) {flops = 512}
      : (memref<8x64xf32>, memref<64xbf16>) -> memref<8x64xf32> {
  ^bb0(%a: f32, %b: bf16):
    %c = arith.extf %b : bf16 to f32
    %d = arith.addf %a, %c : f32
    nlprt.yield %d : f32
  }
  return
}

// CHECK-LABEL: func.func @accumulate
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK:         nlprt.accumulate(%[[X]]) to(%[[Y]]) : (memref<4xf32>) -> memref<4xf32>
// CHECK:         nlprt.accumulate first(%[[X]]) to(%[[Y]]) : (memref<4xf32>) -> memref<4xf32>
func.func @accumulate(%x: memref<4xf32>, %y: memref<4xf32>) {
  nlprt.accumulate(%x) to(%y) : (memref<4xf32>) -> memref<4xf32>
  nlprt.accumulate first(%x) to(%y) : (memref<4xf32>) -> memref<4xf32>
  return
}

// Each kernel of the catalogue, with the fewest buffers that it takes.
// CHECK-LABEL: func.func @catalogue
func.func @catalogue(%x: memref<4xf32>) {
  // CHECK: nlprt.launch "copy"
  nlprt.launch "copy"(%x) to(%x) : (memref<4xf32>) -> memref<4xf32>
  // CHECK: nlprt.launch "rope"
  nlprt.launch "rope"(%x) to(%x) : (memref<4xf32>) -> memref<4xf32>
  // CHECK: nlprt.launch "dropout"
  nlprt.launch "dropout"(%x, %x, %x) to(%x)
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  // CHECK: nlprt.launch "layer_norm_grad"
  nlprt.launch "layer_norm_grad"(%x, %x, %x, %x, %x) to(%x, %x, %x)
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>,
         memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "rms_norm"
  nlprt.launch "rms_norm"(%x, %x) to(%x, %x)
      : (memref<4xf32>, memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "rms_norm_grad"
  nlprt.launch "rms_norm_grad"(%x, %x, %x, %x) to(%x, %x)
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>)
      -> (memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "cross_entropy"
  nlprt.launch "cross_entropy"(%x, %x) to(%x, %x)
      : (memref<4xf32>, memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "cross_entropy_grad"
  nlprt.launch "cross_entropy_grad"(%x, %x, %x, %x) to(%x)
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>)
      -> memref<4xf32>
  // CHECK: nlprt.launch "square_sum"
  nlprt.launch "square_sum"(%x) to(%x) : (memref<4xf32>) -> memref<4xf32>
  // CHECK: nlprt.launch "clip_factor"
  nlprt.launch "clip_factor"(%x) to(%x, %x)
      : (memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "adamw"
  nlprt.launch "adamw"(%x, %x, %x, %x, %x, %x, %x, %x, %x) to(%x, %x, %x)
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>,
         memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>,
         memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "sgd"
  nlprt.launch "sgd"(%x, %x, %x, %x, %x) to(%x, %x)
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>,
         memref<4xf32>) -> (memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "matmul"
  nlprt.launch "matmul"(%x, %x) to(%x)
      : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  // CHECK: nlprt.launch "attention"
  nlprt.launch "attention"(%x, %x, %x) to(%x, %x)
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>)
      -> (memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "attention_grad"
  nlprt.launch "attention_grad"(%x, %x, %x, %x, %x, %x) to(%x, %x, %x)
      : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>,
         memref<4xf32>, memref<4xf32>)
      -> (memref<4xf32>, memref<4xf32>, memref<4xf32>)
  // CHECK: nlprt.launch "embedding"
  nlprt.launch "embedding"(%x, %x) to(%x)
      : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  // CHECK: nlprt.launch "embedding_grad"
  nlprt.launch "embedding_grad"(%x, %x) to(%x)
      : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  return
}
