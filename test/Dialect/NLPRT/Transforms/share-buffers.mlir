// RUN: nlp-opt %s -nlprt-share-buffers | FileCheck %s

// CHECK-LABEL: nlprt.program
nlprt.program @step attributes {
    model = "", global_batch = 1, micro_batch = 1, seq_len = 1, vocab_size = 1,
    threads = 1, runs = []} {
  nlprt.buffer @slot : memref<8xf32> kind slot category activations
  nlprt.buffer @w : memref<8xf32> kind parameter category parameters

  // The second read of a chain is the last use of each buffer before it.
  // CHECK-LABEL: nlprt.routine @chain
  // CHECK-NEXT:    %[[X:.*]] = nlprt.alloc transients : memref<8xf32>
  // CHECK-NEXT:    nlprt.launch "fill"() to(%[[X]])
  // CHECK-NEXT:    nlprt.pointwise(%[[X]]) to(%[[X]])
  // CHECK:         nlprt.pointwise(%[[X]]) to(%[[X]])
  // CHECK-NOT:     nlprt.alloc
  nlprt.routine @chain kind forward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.pointwise(%x) to(%y) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
    %z = nlprt.alloc transients : memref<8xf32>
    nlprt.pointwise(%y) to(%z) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }

  // CHECK-LABEL: nlprt.routine @read_again
  // CHECK:         nlprt.pointwise(%[[X:.*]]) to(%[[Y:.*]]) :
  // CHECK:         nlprt.launch "matmul"(%[[X]], %[[Y]])
  nlprt.routine @read_again kind forward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.pointwise(%x) to(%y) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
    %z = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "matmul"(%x, %y) to(%z)
        : (memref<8xf32>, memref<8xf32>) -> memref<8xf32>
  }

  // Reading a view is reading the buffer.
  // CHECK-LABEL: nlprt.routine @read_again_in_part
  // CHECK:         %[[X:.*]] = nlprt.alloc transients : memref<8xf32>
  // CHECK:         %[[Y:.*]] = nlprt.alloc transients : memref<8xf32>
  // CHECK:         nlprt.pointwise(%[[X]]) to(%[[Y]])
  nlprt.routine @read_again_in_part kind forward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.pointwise(%x) to(%y) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
    %part = nlprt.view %x {offset = 16} : memref<8xf32> to memref<4xf32>
    %z = nlprt.alloc transients : memref<4xf32>
    nlprt.launch "matmul"(%part, %part) to(%z)
        : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  }

  // A matrix product reads its inputs more than once.
  // CHECK-LABEL: nlprt.routine @kernel_may_not
  // CHECK:         nlprt.launch "matmul"(%[[X:.*]], %[[X]]) to(%[[Y:.*]]) :
  // CHECK:         nlprt.launch "fill"() to(%[[Y]])
  nlprt.routine @kernel_may_not kind forward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "matmul"(%x, %x) to(%y)
        : (memref<8xf32>, memref<8xf32>) -> memref<8xf32>
    nlprt.launch "fill"() to(%y) : () -> memref<8xf32>
  }

  // The second read is repeated, and the first has wider elements.
  // CHECK-LABEL: nlprt.routine @sizes_differ
  // CHECK:         %[[Z:.*]] = nlprt.alloc transients : memref<8xf32>
  // CHECK:         nlprt.pointwise(%{{.*}}, %{{.*}}) to(%[[Z]])
  nlprt.routine @sizes_differ kind forward {
    %x = nlprt.alloc transients : memref<8xf64>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf64>
    %y = nlprt.alloc transients : memref<4xf32>
    nlprt.launch "fill"() to(%y) : () -> memref<4xf32>
    %z = nlprt.alloc transients : memref<8xf32>
    nlprt.pointwise(%x, %y) to(%z) : (memref<8xf64>, memref<4xf32>) -> memref<8xf32> {
    ^bb0(%a: f64, %b: f32):
      nlprt.yield %b : f32
    }
  }

  // As many bytes, but an element of one is not an element of the other.
  // CHECK-LABEL: nlprt.routine @elements_differ
  // CHECK:         %[[Y:.*]] = nlprt.alloc transients : memref<8xi32>
  // CHECK:         nlprt.pointwise(%{{.*}}) to(%[[Y]])
  nlprt.routine @elements_differ kind forward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %y = nlprt.alloc transients : memref<8xi32>
    nlprt.pointwise(%x) to(%y) : (memref<8xf32>) -> memref<8xi32> {
    ^bb0(%a: f32):
      %0 = arith.bitcast %a : f32 to i32
      nlprt.yield %0 : i32
    }
  }

  // Row normalization may overwrite its input, but not its weight.
  // CHECK-LABEL: nlprt.routine @position
  // CHECK:         nlprt.launch "rms_norm"(%[[X:.*]], %[[W:.*]]) to(%[[X]], %{{.*}})
  // CHECK:         nlprt.launch "rms_norm"(%[[X]], %[[V:.*]]) to(%[[Y:.*]], %{{.*}})
  // CHECK:         nlprt.launch "matmul"(%[[X]], %[[Y]])
  nlprt.routine @position kind forward {
    %w = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%w) : () -> memref<8xf32>
    %v = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%v) : () -> memref<8xf32>
    %old = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%old) : () -> memref<8xf32>
    %r = nlprt.alloc transients : memref<f32>
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "rms_norm"(%old, %w) to(%x, %r)
        : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<f32>)
    // %v is read for the last time, but as a weight.
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "rms_norm"(%x, %v) to(%y, %r)
        : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<f32>)
    %z = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "matmul"(%x, %y) to(%z)
        : (memref<8xf32>, memref<8xf32>) -> memref<8xf32>
  }

  // One buffer in two positions: the second must not be overwritten.
  // CHECK-LABEL: nlprt.routine @two_positions
  // CHECK:         %[[X:.*]] = nlprt.alloc transients : memref<8xf32>
  // CHECK:         %[[Y:.*]] = nlprt.alloc transients : memref<8xf32>
  // CHECK:         nlprt.launch "rms_norm"(%[[X]], %[[X]]) to(%[[Y]], %{{.*}})
  nlprt.routine @two_positions kind forward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %r = nlprt.alloc transients : memref<f32>
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "rms_norm"(%x, %x) to(%y, %r)
        : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>, memref<f32>)
  }

  // Both positions of a gradient may be overwritten.
  // CHECK-LABEL: nlprt.routine @two_good_positions
  // CHECK:         nlprt.launch "rms_norm_grad"(%[[X:.*]], %[[X]], %{{.*}}, %{{.*}}) to(%[[X]], %{{.*}})
  nlprt.routine @two_good_positions kind backward {
    %w = nlprt.get @w : memref<8xf32>
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %r = nlprt.alloc transients : memref<f32>
    nlprt.launch "fill"() to(%r) : () -> memref<f32>
    %dx = nlprt.alloc transients : memref<8xf32>
    %dw = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "rms_norm_grad"(%x, %x, %w, %r) to(%dx, %dw)
        : (memref<8xf32>, memref<8xf32>, memref<8xf32>, memref<f32>)
        -> (memref<8xf32>, memref<8xf32>)
  }

  // A view of all bytes shares; the kept buffer is viewed in turn.
  // CHECK-LABEL: nlprt.routine @whole_view
  // CHECK-NEXT:    %[[X:.*]] = nlprt.alloc transients : memref<2x4xf32>
  // CHECK-NEXT:    %[[Y:.*]] = nlprt.view %[[X]] : memref<2x4xf32> to memref<8xf32>
  // CHECK-NEXT:    nlprt.launch "fill"() to(%[[X]])
  // CHECK-NEXT:    %[[V:.*]] = nlprt.view %[[X]] : memref<2x4xf32> to memref<8xf32>
  // CHECK-NEXT:    nlprt.pointwise(%[[V]]) to(%[[Y]])
  nlprt.routine @whole_view kind forward {
    %x = nlprt.alloc transients : memref<2x4xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<2x4xf32>
    %v = nlprt.view %x : memref<2x4xf32> to memref<8xf32>
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.pointwise(%v) to(%y) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }

  // Half of a buffer has no place for a whole one, and is not given up.
  // CHECK-LABEL: nlprt.routine @part_view
  // CHECK:         %[[V:.*]] = nlprt.view
  // CHECK-NEXT:    %[[Y:.*]] = nlprt.alloc transients : memref<4xf32>
  // CHECK-NEXT:    nlprt.pointwise(%[[V]]) to(%[[Y]])
  nlprt.routine @part_view kind forward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %v = nlprt.view %x : memref<8xf32> to memref<4xf32>
    %y = nlprt.alloc transients : memref<4xf32>
    nlprt.pointwise(%v) to(%y) : (memref<4xf32>) -> memref<4xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }

  // The first write takes the place; the second finds it taken.
  // CHECK-LABEL: nlprt.routine @two_writes
  // CHECK:         nlprt.pointwise(%[[X:.*]]) to(%[[X]], %[[Z:.*]]) :
  // CHECK:         nlprt.launch "matmul"(%[[X]], %[[Z]])
  nlprt.routine @two_writes kind forward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %y = nlprt.alloc transients : memref<8xf32>
    %z = nlprt.alloc transients : memref<8xf32>
    nlprt.pointwise(%x) to(%y, %z) : (memref<8xf32>) -> (memref<8xf32>, memref<8xf32>) {
    ^bb0(%a: f32):
      nlprt.yield %a, %a : f32, f32
    }
    %o = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "matmul"(%y, %z) to(%o)
        : (memref<8xf32>, memref<8xf32>) -> memref<8xf32>
  }

  // What holds something already keeps its place: %y was written before.
  // CHECK-LABEL: nlprt.routine @written_before
  // CHECK:         nlprt.launch "fill"() to(%[[Y:.*]]) :
  // CHECK:         nlprt.launch "fill"() to(%[[X:.*]]) :
  // CHECK:         nlprt.pointwise(%[[X]]) to(%[[Y]])
  nlprt.routine @written_before kind forward {
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%y) : () -> memref<8xf32>
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    nlprt.pointwise(%x) to(%y) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }

  // Buffers of the program keep their own places.
  // CHECK-LABEL: nlprt.routine @program_buffers
  // CHECK:         nlprt.pointwise(%[[W:.*]]) to(%[[Y:.*]]) :
  // CHECK:         nlprt.pointwise(%[[Y]]) to(%[[SLOT:.*]]) :
  nlprt.routine @program_buffers kind forward {
    %w = nlprt.get @w : memref<8xf32>
    %slot = nlprt.get @slot : memref<8xf32>
    %y = nlprt.alloc transients : memref<8xf32>
    nlprt.pointwise(%w) to(%y) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
    nlprt.pointwise(%y) to(%slot) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }

  // A workspace is no result: it takes nobody's place.
  // CHECK-LABEL: nlprt.routine @workspace
  // CHECK:         %[[SPACE:.*]] = nlprt.alloc workspace
  // CHECK:         nlprt.launch "rms_norm"(%[[X:.*]], %{{.*}}) to(%[[X]], %{{.*}}, %[[SPACE]])
  nlprt.routine @workspace kind forward {
    %w = nlprt.get @w : memref<8xf32>
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %y = nlprt.alloc transients : memref<8xf32>
    %r = nlprt.alloc transients : memref<f32>
    %space = nlprt.alloc workspace : memref<32xi8>
    nlprt.launch "rms_norm"(%x, %w) to(%y, %r, %space)
        : (memref<8xf32>, memref<8xf32>)
        -> (memref<8xf32>, memref<f32>, memref<32xi8>)
  }

  // What is kept for the backward pass counts as that.
  // CHECK-LABEL: nlprt.routine @category
  // CHECK-NEXT:    nlprt.alloc activations : memref<8xf32>
  // CHECK-NOT:     nlprt.alloc
  nlprt.routine @category kind forward_backward {
    %x = nlprt.alloc transients : memref<8xf32>
    nlprt.launch "fill"() to(%x) : () -> memref<8xf32>
    %y = nlprt.alloc activations : memref<8xf32>
    nlprt.pointwise(%x) to(%y) : (memref<8xf32>) -> memref<8xf32> {
    ^bb0(%a: f32):
      nlprt.yield %a : f32
    }
  }
}
