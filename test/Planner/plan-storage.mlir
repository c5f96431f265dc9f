// Each value has 4096 bytes. With everything kept most is held where %d is used
// first: w, a, b, c, d and nothing else, since the products go over what they read.
// That is 5 * 4096 = 20480 bytes, and then nothing is decided.
//
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=20480" \
// RUN:   | FileCheck %s --check-prefix=ALL
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=20480" \
// RUN:     --remarks-filter=nlp-memory 2>&1 | FileCheck %s --check-prefix=QUIET
//
// With a byte less, one of a and b has to go. b costs no more than a does, and a has
// to be there to make it: w, a, c, d are 16384 bytes. c goes over b, b is made again
// where its product runs, and all else stays where it was.
//
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=20479" \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=16384" \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=16384" \
// RUN:     --remarks-filter=nlp-memory -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
//
// The least: w and what d's product needs, c and d, are 12288 bytes. a is made a
// second time for b, which goes over it, and a third time for itself.
//
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=12288" \
// RUN:   | FileCheck %s --check-prefix=LEAST
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=12288" \
// RUN:     -nlp-apply-recompute | FileCheck %s --check-prefix=APPLIED
//
// A reserve is taken off the budget.
//
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=20479 \
// RUN:     reserve=4095" | FileCheck %s --check-prefix=ONE
//
// A plan replaces the one before, also with one that keeps everything; other parts
// of an op's plan stay. Without a budget nothing changes.
//
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=12288" \
// RUN:     -nlp-plan-storage="machine=cpu memory-budget=16384" \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=12288" \
// RUN:     -nlp-plan-storage="machine=cpu memory-budget=20480" \
// RUN:   | FileCheck %s --check-prefix=ALL
// RUN: nlp-opt %s -o %t.before.mlir
// RUN: nlp-opt %s -nlp-plan-storage -o %t.after.mlir
// RUN: cmp %t.before.mlir %t.after.mlir
// RUN: nlp-opt %s -nlp-plan-storage="machine=cpu memory-budget=12288" \
// RUN:     -o %t.before.mlir
// RUN: nlp-opt %t.before.mlir -nlp-plan-storage -o %t.after.mlir
// RUN: cmp %t.before.mlir %t.after.mlir

// ALL-LABEL: nlp.step @train
// ALL-NOT:     order
// ALL-NOT:     recompute
// ALL:         nlp.relu %{{.*}} {plan = #nlp.op_plan<precision = bf16>}

// QUIET-NOT: remark

// ONE-LABEL: nlp.step @train
// ONE:         order = #nlp.order<ops = [0, 1, 2, 3, 4, 5, 6, 7, 2, 8, 9, 10], instances = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]>
// ONE-NEXT:    nlp.read
// ONE-NEXT:    nlp.exp %{{.*}} : tensor
// ONE-NEXT:    nlp.tanh %{{.*}} {plan = #nlp.op_plan<storage = [recompute]>}
// ONE-NEXT:    nlp.sigmoid %{{.*}} : tensor
// ONE-NEXT:    nlp.relu %{{.*}} {plan = #nlp.op_plan<precision = bf16>}

// An op of 4096 bytes on a CPU of 20 GB/s that takes 2 us to launch.
// REMARK:     remark: loc("b"): [Passed] Recomputed | Category:nlp-memory | BytesFreed=4096, Nanoseconds=2{{[0-9]+}}
// REMARK-NOT: remark

// LEAST: order = #nlp.order<{{.*}}, 1, 2, 8, 1, 9, 10], instances = [{{.*}}, 1, 1, 0, 2, 0, 0]>
// LEAST: nlp.exp %{{.*}} {plan = #nlp.op_plan<storage = [recompute]>}
// LEAST: nlp.tanh %{{.*}} {plan = #nlp.op_plan<storage = [recompute]>}
// LEAST: nlp.sigmoid %{{.*}} : tensor

// APPLIED-LABEL: nlp.step @train
// APPLIED:         nlp.turn
// APPLIED:         %[[GD:.*]] = nlp.mul
// APPLIED-NEXT:    %[[GC:.*]] = nlp.mul %[[GD]]
// APPLIED-NEXT:    %[[A1:.*]] = nlp.exp
// APPLIED-NEXT:    %[[B:.*]] = nlp.tanh %[[A1]]
// APPLIED-NEXT:    %[[GB:.*]] = nlp.mul %[[GC]], %[[B]]
// APPLIED-NEXT:    %[[A2:.*]] = nlp.exp
// APPLIED-NEXT:    nlp.mul %[[GB]], %[[A2]]
// APPLIED-NOT:     order
nlp.parameter @w : tensor<1024xf32> init ones
nlp.step @train {
  nlp.slot @grad.w : tensor<1024xf32> {accumulate, parameter = @w}
  nlp.segment @forward_backward kind forward_backward {
    %w = nlp.read @w : tensor<1024xf32>
    %a = nlp.exp %w : tensor<1024xf32> loc("a")
    %b = nlp.tanh %a : tensor<1024xf32> loc("b")
    %c = nlp.sigmoid %b : tensor<1024xf32> loc("c")
    %d = nlp.relu %c {plan = #nlp.op_plan<precision = bf16>}
        : tensor<1024xf32> loc("d")
    nlp.turn
    %gd = nlp.mul %d, %d : tensor<1024xf32>
    %gc = nlp.mul %gd, %c : tensor<1024xf32>
    %gb = nlp.mul %gc, %b : tensor<1024xf32>
    %ga = nlp.mul %gb, %a : tensor<1024xf32>
    nlp.slot_accumulate @grad.w, %ga : tensor<1024xf32>
  }
}
