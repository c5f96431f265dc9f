// RUN: nlp-opt %s -split-input-file -verify-diagnostics

func.func @launch_c1(%x: memref<4xf32>) {
  // expected-error @+1 {{expected a kernel of the catalogue, but got "fma"}}
  nlprt.launch "fma"(%x) to(%x) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func @launch_c2_few(%x: memref<4xf32>) {
  // expected-error @+1 {{expected 2 to 3 reads, but got 1}}
  nlprt.launch "matmul"(%x) to(%x) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func @launch_c2_many(%x: memref<4xf32>) {
  // expected-error @+1 {{expected 0 to 0 reads, but got 1}}
  nlprt.launch "fill"(%x) to(%x) : (memref<4xf32>) -> memref<4xf32>
  return
}

// -----

func.func @launch_c2_writes(%x: memref<4xf32>) {
  // expected-error @+1 {{expected 1 writes and at most one workspace, but got 3}}
  nlprt.launch "fill"() to(%x, %x, %x)
      : () -> (memref<4xf32>, memref<4xf32>, memref<4xf32>)
  return
}

// -----

func.func @launch_type(%x: memref<4xindex>) {
  // expected-error @+1 {{operand #0 must be variadic of dense row-major memref}}
  nlprt.launch "fill"() to(%x) : () -> memref<4xindex>
  return
}

// -----

func.func @launch_kernel(%x: memref<4xf32>) {
  // expected-error @+1 {{requires attribute 'kernel'}}
  "nlprt.launch"(%x) <{operandSegmentSizes = array<i32: 0, 1>}>
      : (memref<4xf32>) -> ()
  return
}

// -----

func.func @pointwise_writes(%x: memref<4xf32>) {
  // expected-error @+1 {{expected at least one write}}
  nlprt.pointwise(%x) to() : (memref<4xf32>) -> () {
  ^bb0(%a: f32):
    "nlprt.yield"() : () -> ()
  }
  return
}

// -----

func.func @pointwise_c1_writes(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{expected writes of 4 elements}}
  nlprt.pointwise(%x) to(%x, %y) : (memref<4xf32>) -> (memref<4xf32>, memref<8xf32>) {
  ^bb0(%a: f32):
    nlprt.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @pointwise_c1_reads(%x: memref<6xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{expected reads whose number of elements divides 6, but got 4}}
  nlprt.pointwise(%y) to(%x) : (memref<4xf32>) -> memref<6xf32> {
  ^bb0(%a: f32):
    nlprt.yield %a : f32
  }
  return
}

// -----

// More elements are read than written.
func.func @pointwise_c1_more(%x: memref<4xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{expected reads whose number of elements divides 4, but got 8}}
  nlprt.pointwise(%y) to(%x) : (memref<8xf32>) -> memref<4xf32> {
  ^bb0(%a: f32):
    nlprt.yield %a : f32
  }
  return
}

// -----

func.func @pointwise_c2_count(%x: memref<4xf32>) {
  // expected-error @+1 {{expected one region argument for each read, of its element type}}
  nlprt.pointwise(%x, %x) to(%x) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32> {
  ^bb0(%a: f32):
    nlprt.yield %a : f32
  }
  return
}

// -----

func.func @pointwise_c2_type(%x: memref<4xf32>) {
  // expected-error @+1 {{expected one region argument for each read, of its element type}}
  nlprt.pointwise(%x) to(%x) : (memref<4xf32>) -> memref<4xf32> {
  ^bb0(%a: f64):
    %0 = arith.truncf %a : f64 to f32
    nlprt.yield %0 : f32
  }
  return
}

// -----

func.func @pointwise_c3_count(%x: memref<4xf32>) {
  // expected-error @+1 {{expected one yielded value for each write, of its element type}}
  nlprt.pointwise(%x) to(%x) : (memref<4xf32>) -> memref<4xf32> {
  ^bb0(%a: f32):
    "nlprt.yield"() : () -> ()
  }
  return
}

// -----

func.func @pointwise_c3_type(%x: memref<4xf32>) {
  // expected-error @+1 {{expected one yielded value for each write, of its element type}}
  nlprt.pointwise(%x) to(%x) : (memref<4xf32>) -> memref<4xf32> {
  ^bb0(%a: f32):
    %0 = arith.extf %a : f32 to f64
    nlprt.yield %0 : f64
  }
  return
}

// -----

func.func @pointwise_c3_terminator(%x: memref<4xf32>) {
  // expected-error @+1 {{empty block: expect at least a terminator}}
  nlprt.pointwise(%x) to(%x) : (memref<4xf32>) -> memref<4xf32> {
  ^bb0(%a: f32):
  }
  return
}

// -----

func.func @yield_parent(%x: f32) {
  // expected-error @+1 {{expects parent op 'nlprt.pointwise'}}
  nlprt.yield %x : f32
}

// -----

func.func @accumulate_c1_type(%x: memref<4xf32>, %y: memref<2x2xf32>) {
  // expected-error @+1 {{expected one read and one write of the same float type}}
  nlprt.accumulate(%x) to(%y) : (memref<4xf32>) -> memref<2x2xf32>
  return
}

// -----

func.func @accumulate_c1_integer(%x: memref<4xi32>) {
  // expected-error @+1 {{expected one read and one write of the same float type}}
  nlprt.accumulate(%x) to(%x) : (memref<4xi32>) -> memref<4xi32>
  return
}

// -----

func.func @accumulate_c1_count(%x: memref<4xf32>) {
  // expected-error @+1 {{expected one read and one write of the same float type}}
  nlprt.accumulate(%x, %x) to(%x) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  return
}
