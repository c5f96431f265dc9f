// RUN: nlp-opt %s -convert-nlp-to-nlprt=threads=1 | FileCheck %s

nlp.parameter @x : tensor<2x6xf32> init ones
nlp.parameter @h : tensor<2x6xbf16> init ones
nlp.parameter @d : tensor<6xf64> init ones
nlp.parameter @b : tensor<6xf32> init ones
nlp.step @step attributes {
    model = #nlp.model<name = "m", global_batch = 2, seq_len = 4, vocab_size = 9>,
    schedule = [#nlp.run<@f32, 0>]} {
  // One flop for each of 12 elements.
  // CHECK-LABEL: nlprt.routine @f32
  // CHECK:         nlprt.pointwise(%[[X:.*]], %[[X]]) to(%{{.*}}) {flops = 12 : i64} : (memref<2x6xf32>, memref<2x6xf32>) -> memref<2x6xf32>
  // CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT:      %[[C:.*]] = arith.subf %[[A]], %[[B]] : f32
  // CHECK-NEXT:      nlprt.yield %[[C]] : f32
  nlp.segment @f32 kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %y = nlp.sub %x, %x : tensor<2x6xf32>
  }

  // Narrow types are computed in f32.
  // CHECK-LABEL: nlprt.routine @bf16
  // CHECK:         ^bb0(%[[A:.*]]: bf16):
  // CHECK-NEXT:      %[[B:.*]] = arith.extf %[[A]] : bf16 to f32
  // CHECK:           %[[C:.*]] = math.exp %[[B]] : f32
  // CHECK-NEXT:      %[[D:.*]] = arith.truncf %[[C]] : f32 to bf16
  // CHECK-NEXT:      nlprt.yield %[[D]] : bf16
  nlp.segment @bf16 kind forward {
    %x = nlp.read @h : tensor<2x6xbf16>
    %y = nlp.exp %x : tensor<2x6xbf16>
  }

  // CHECK-LABEL: nlprt.routine @f64
  // CHECK:         ^bb0(%[[A:.*]]: f64):
  // CHECK:           math.log %[[A]] : f64
  nlp.segment @f64 kind forward {
    %x = nlp.read @d : tensor<6xf64>
    %y = nlp.log %x : tensor<6xf64>
  }

  // CHECK-LABEL: nlprt.routine @cast
  // CHECK:         nlprt.pointwise(%{{.*}}) to(%{{.*}}) {{.*}}(memref<2x6xf32>) -> memref<2x6xbf16>
  // CHECK-NEXT:    ^bb0(%[[A:.*]]: f32):
  // CHECK-NEXT:      %[[B:.*]] = arith.truncf %[[A]] : f32 to bf16
  // CHECK-NEXT:      nlprt.yield %[[B]] : bf16
  nlp.segment @cast kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %y = nlp.cast %x : tensor<2x6xf32> -> tensor<2x6xbf16>
  }

  // Pointwise readers repeat the small buffer; none is made for the large one.
  // CHECK-LABEL: nlprt.routine @broadcast
  // CHECK-DAG:     %[[X:.*]] = nlprt.get @x
  // CHECK-DAG:     %[[B:.*]] = nlprt.get @b
  // CHECK-NEXT:    %[[Y:.*]] = nlprt.alloc transients : memref<2x6xf32>
  // CHECK-NEXT:    nlprt.pointwise(%[[X]], %[[B]]) to(%[[Y]]) {{.*}} : (memref<2x6xf32>, memref<6xf32>) -> memref<2x6xf32>
  // CHECK-NOT:     nlprt.alloc
  nlp.segment @broadcast kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %b = nlp.read @b : tensor<6xf32>
    %r = nlp.broadcast %b : tensor<6xf32> -> tensor<2x6xf32>
    %y = nlp.add %x, %r : tensor<2x6xf32>
  }

  // Any other reader needs the repeated buffer.
  // CHECK-LABEL: nlprt.routine @broadcast_for_all
  // CHECK-DAG:     %[[B:.*]] = nlprt.get @b
  // CHECK:         %[[R:.*]] = nlprt.alloc transients : memref<2x6xf32>
  // CHECK-NEXT:    nlprt.pointwise(%[[B]]) to(%[[R]]) : (memref<6xf32>) -> memref<2x6xf32>
  // CHECK-NEXT:    ^bb0(%[[A:.*]]: f32):
  // CHECK-NEXT:      nlprt.yield %[[A]] : f32
  // CHECK:         nlprt.pointwise(%{{.*}}, %[[R]])
  // CHECK:         nlprt.launch "square_sum"(%[[R]])
  nlp.segment @broadcast_for_all kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %b = nlp.read @b : tensor<6xf32>
    %r = nlp.broadcast %b : tensor<6xf32> -> tensor<2x6xf32>
    %y = nlp.add %x, %r : tensor<2x6xf32>
    %s = nlp.square_sum %r : tensor<2x6xf32>
  }

  // CHECK-LABEL: nlprt.routine @dropout
  // CHECK-DAG:     %[[X:.*]] = nlprt.get @x
  // CHECK-DAG:     %[[SEED:.*]] = nlprt.get @scalar.step_seed
  // CHECK-DAG:     %[[FIRST:.*]] = nlprt.get @scalar.first_sequence
  // CHECK:         nlprt.launch "dropout"(%[[X]], %[[SEED]], %[[FIRST]]) to(%{{.*}}) {{.*}}params = {rate = 1.000000e-01 : f64, site = {{-?[0-9]+}} : i64}
  nlp.segment @dropout kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %seed = nlp.runtime_scalar step_seed : tensor<i64>
    %first = nlp.runtime_scalar first_sequence : tensor<i64>
    %y = nlp.dropout %x, %seed, %first rate 0.1 site "drop" : tensor<2x6xf32>
  }

  // Each op with a scalar definition becomes one launch.
  // CHECK-LABEL: nlprt.routine @all
  // CHECK-COUNT-20: nlprt.pointwise
  // CHECK-NOT:      nlprt.pointwise
  // CHECK-NOT:      nlprt.launch
  nlp.segment @all kind forward {
    %x = nlp.read @x : tensor<2x6xf32>
    %0 = nlp.add %x, %x : tensor<2x6xf32>
    %1 = nlp.sub %0, %x : tensor<2x6xf32>
    %2 = nlp.mul %1, %x : tensor<2x6xf32>
    %3 = nlp.div %2, %x : tensor<2x6xf32>
    %4 = nlp.neg %3 : tensor<2x6xf32>
    %5 = nlp.exp %4 : tensor<2x6xf32>
    %6 = nlp.log %5 : tensor<2x6xf32>
    %7 = nlp.sqrt %6 : tensor<2x6xf32>
    %8 = nlp.tanh %7 : tensor<2x6xf32>
    %9 = nlp.sigmoid %8 : tensor<2x6xf32>
    %10 = nlp.relu %9 : tensor<2x6xf32>
    %11 = nlp.silu %10 : tensor<2x6xf32>
    %12 = nlp.scale %11 by 0.5 : tensor<2x6xf32>
    %13 = nlp.gelu erf %12 : tensor<2x6xf32>
    %14 = nlp.gelu tanh %13 : tensor<2x6xf32>
    %15 = nlp.gelu_grad erf %14, %x : tensor<2x6xf32>
    %16 = nlp.silu_grad %15, %x : tensor<2x6xf32>
    %17 = nlp.relu_grad %16, %x : tensor<2x6xf32>
    %18 = nlp.tanh_grad %17, %x : tensor<2x6xf32>
    %19 = nlp.sigmoid_grad %18, %x : tensor<2x6xf32>
  }
}
// CHECK: }
