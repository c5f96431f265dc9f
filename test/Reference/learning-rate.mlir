// Two steps of warm-up, then down to zero in two: (step - 3) / 2 is done.
// RUN: nlp-interpret %s --steps=4 --warmup=2 --schedule=linear --lr=1 \
// RUN:   --metrics=%t.jsonl
// RUN: FileCheck %s < %t.jsonl

// CHECK:      {"step":1,"loss":0.5,"lr":0.5}
// CHECK-NEXT: {"step":2,"loss":1.0,"lr":1.0}
// CHECK-NEXT: {"step":3,"loss":1.0,"lr":1.0}
// CHECK-NEXT: {"step":4,"loss":0.5,"lr":0.5}

// A cosine ends at a tenth: after one of two steps, 0.1 + 0.9 / 2.
// RUN: nlp-interpret %s --steps=2 --warmup=0 --lr=1 | FileCheck %s \
// RUN:   --check-prefix=COSINE
// COSINE:      step 1 loss 1
// COSINE-NEXT: step 2 loss 0.55

nlp.step @train {
  nlp.segment @forward kind forward {
    %rate = nlp.runtime_scalar learning_rate : tensor<f64>
    %loss = nlp.cast %rate : tensor<f64> -> tensor<f32>
    nlp.report loss, %loss : tensor<f32>
  }
}
