// RUN: nlp-opt %s -split-input-file -nlp-apply-recompute | FileCheck %s
// RUN: nlp-opt %s -split-input-file -nlp-apply-recompute -mlir-print-debuginfo \
// RUN:   -mlir-print-local-scope | FileCheck %s --check-prefix=PLACE

// The first backward use makes the clone of %a and, behind it, that of %h; the
// second use shares it. %x is kept and used as it is.

// CHECK-LABEL: nlp.step @chain
// CHECK:         %[[X:.*]] = nlp.read @w
// CHECK-NEXT:    %[[H:.*]] = nlp.exp %[[X]] : tensor<4xf32>
// CHECK-NEXT:    %[[A:.*]] = nlp.gelu tanh %[[H]] : tensor<4xf32>
// CHECK-NEXT:    nlp.slot_accumulate @out, %[[A]]
// CHECK-NEXT:    nlp.turn
// CHECK-NEXT:    %[[ONE:.*]] = nlp.fill
// CHECK-NEXT:    %[[H2:.*]] = nlp.exp %[[X]]
// CHECK-NEXT:    %[[A2:.*]] = nlp.gelu tanh %[[H2]]
// CHECK-NEXT:    %[[DA:.*]] = nlp.mul %[[ONE]], %[[A2]]
// CHECK-NEXT:    %[[DH:.*]] = nlp.gelu_grad tanh %[[H2]], %[[DA]]
// CHECK-NEXT:    %[[DX:.*]] = nlp.mul %[[DH]], %[[X]]
// CHECK-NEXT:    %[[LAST:.*]] = nlp.add %[[DX]], %[[A2]]

// PLACE-LABEL: nlp.step @chain
// PLACE:         nlp.turn
// PLACE:         nlp.gelu {{.*}} loc(fused<"recompute">["act"
nlp.parameter @w : tensor<4xf32> init ones
nlp.step @chain {
  nlp.slot @out : tensor<4xf32> {accumulate}
  nlp.segment @forward_backward kind forward_backward {
    %x = nlp.read @w : tensor<4xf32>
    %h = nlp.exp %x {plan = #nlp.op_plan<storage = [recompute]>} : tensor<4xf32>
    %a = nlp.gelu tanh %h {plan = #nlp.op_plan<storage = [recompute]>}
        : tensor<4xf32> loc("act")
    nlp.slot_accumulate @out, %a : tensor<4xf32>
    nlp.turn
    %one = nlp.fill 1.0 : tensor<4xf32>
    %da = nlp.mul %one, %a : tensor<4xf32>
    %dh = nlp.gelu_grad tanh %h, %da : tensor<4xf32>
    %dx = nlp.mul %dh, %x : tensor<4xf32>
    %last = nlp.add %dx, %a : tensor<4xf32>
    nlp.slot_accumulate @out, %last : tensor<4xf32>
  }
}

// -----

// Of two results one is kept: only the other comes from the clone. An op whose
// results only the backward pass reads moves there. Marks that say `keep`, and
// marks without a backward use, go.

// CHECK-LABEL: nlp.step @results
// CHECK:         %[[Y:.*]], %[[RSTD:.*]] = nlp.rms_norm %[[X:[^,]*]], %[[G:.*]] eps
// CHECK-NEXT:    nlp.neg
// CHECK-NOT:     plan
// CHECK-NOT:     nlp.log
// CHECK:         nlp.turn
// CHECK-NEXT:    %[[Y2:.*]], %{{.*}} = nlp.rms_norm %[[X]], %[[G]] eps
// CHECK-NEXT:    nlp.rms_norm_grad %[[Y2]], %[[X]], %[[G]], %[[RSTD]]
// CHECK-NEXT:    %[[L:.*]] = nlp.log %[[X]]
// CHECK-NEXT:    nlp.add %[[L]], %[[L]]
nlp.parameter @x : tensor<2x4xf32> init ones
nlp.parameter @g : tensor<4xf32> init ones
nlp.step @results {
  nlp.slot @out : tensor<2x4xf32> {accumulate}
  nlp.segment @forward_backward kind forward_backward {
    %x = nlp.read @x : tensor<2x4xf32>
    %g = nlp.read @g : tensor<4xf32>
    %l = nlp.log %x {plan = #nlp.op_plan<storage = [recompute]>}
        : tensor<2x4xf32>
    %y, %rstd = nlp.rms_norm %x, %g eps 1.0e-5
        {plan = #nlp.op_plan<storage = [recompute, keep]>}
        : tensor<2x4xf32>, tensor<4xf32>
    %n = nlp.neg %y {plan = #nlp.op_plan<storage = [recompute]>}
        : tensor<2x4xf32>
    nlp.slot_accumulate @out, %n : tensor<2x4xf32>
    nlp.turn
    %dx, %dg = nlp.rms_norm_grad %y, %x, %g, %rstd
        : tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>
    %sum = nlp.add %l, %l : tensor<2x4xf32>
    nlp.slot_accumulate @out, %sum : tensor<2x4xf32>
    nlp.slot_accumulate @out, %dx : tensor<2x4xf32>
  }
}

// -----

// An order with two instances of op 1: each backward use reads the latest.

// CHECK-LABEL: nlp.step @ordered
// CHECK-NOT:     order
// CHECK:         %[[X:.*]] = nlp.read @w
// CHECK-NEXT:    %[[H:.*]] = nlp.exp %[[X]]
// CHECK-NEXT:    nlp.slot_accumulate @out, %[[H]]
// CHECK-NEXT:    nlp.turn
// CHECK-NEXT:    %[[H1:.*]] = nlp.exp %[[X]]
// CHECK-NEXT:    nlp.neg %[[H1]]
// CHECK-NEXT:    %[[H2:.*]] = nlp.exp %[[X]]
// CHECK-NEXT:    nlp.sqrt %[[H2]]
nlp.parameter @w : tensor<4xf32> init ones
nlp.step @ordered {
  nlp.slot @out : tensor<4xf32> {accumulate}
  nlp.segment @forward_backward kind forward_backward attributes {
      order = #nlp.order<ops = [0, 1, 2, 3, 1, 5, 1, 4],
                         instances = [0, 0, 0, 0, 1, 0, 2, 0]>} {
    %x = nlp.read @w : tensor<4xf32>
    %h = nlp.exp %x {plan = #nlp.op_plan<storage = [recompute]>} : tensor<4xf32>
    nlp.slot_accumulate @out, %h : tensor<4xf32>
    nlp.turn
    %a = nlp.sqrt %h : tensor<4xf32>
    %b = nlp.neg %h : tensor<4xf32>
  }
}
