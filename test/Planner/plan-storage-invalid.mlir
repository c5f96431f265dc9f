// RUN: split-file %s %t

// What is needed at least is named, and does: the parameter, and what its product
// needs, two values of 4096 bytes. A reserve counts.
//
// RUN: not nlp-opt %t/step.mlir -nlp-plan-storage="machine=cpu memory-budget=1" \
// RUN:     -o %t/none.mlir 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: error: 'nlp.step' op expected a budget of at least 12288 bytes, but got 1
// RUN: test ! -e %t/none.mlir
// RUN: not nlp-opt %t/step.mlir \
// RUN:     -nlp-plan-storage="machine=cpu memory-budget=12287" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BYTE
// BYTE: expected a budget of at least 12288 bytes, but got 12287
// RUN: nlp-opt %t/step.mlir \
// RUN:   -nlp-plan-storage="machine=cpu memory-budget=12288" -o %t/fits.mlir
// RUN: not nlp-opt %t/step.mlir \
// RUN:     -nlp-plan-storage="machine=cpu memory-budget=12288 reserve=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BYTE
// RUN: not nlp-opt %t/step.mlir \
// RUN:     -nlp-plan-storage="machine=cpu memory-budget=-1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: expected a budget of at least 12288 bytes, but got -1

// RUN: not nlp-opt %t/step.mlir \
// RUN:     -nlp-plan-storage="machine=nowhere memory-budget=9" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MACHINE
// MACHINE: expected one of the machines {{.*}}cpu{{.*}} or a machine file (FILE.json), but got 'nowhere'

// A graph without a backward pass has nothing to decide, whatever the budget.
//
// RUN: nlp-opt %t/graph.mlir -o %t/before.mlir
// RUN: nlp-opt %t/graph.mlir \
// RUN:   -nlp-plan-storage="machine=cpu memory-budget=1" -o %t/after.mlir
// RUN: cmp %t/before.mlir %t/after.mlir

// Orders that nobody can follow: they are said so before an op moves. The pass that
// plans storage takes no notice of them, and writes its own.
//
// DEFINE: %{order} =
// DEFINE: %{apply} = sed 's/backward {/backward attributes {order = #nlp.order<ops = [%{order}]>} {/' \
// DEFINE:   %t/step.mlir > %t/order.mlir \
// DEFINE:   && not nlp-opt %t/order.mlir -nlp-apply-recompute 2>&1 | FileCheck %s --check-prefix
//
// REDEFINE: %{order} = -1], instances = [0
// RUN: %{apply} PAIR
// PAIR: error: entry (-1, 0) is negative or occurs twice
// REDEFINE: %{order} = 1, 1], instances = [0, 0
// RUN: %{apply} TWICE
// TWICE: error: entry (1, 0) is negative or occurs twice
// REDEFINE: %{order} = 9223372036854775807], instances = [0
// RUN: %{apply} RANGE
// RANGE: error: 'nlp.segment' op order names op 9223372036854775807, but the segment has 9
// REDEFINE: %{order} = 0, 1, 2, 3, 4, 5, 6, 1, 7, 8], instances = [0, 0, 0, 0, 0, 0, 0, 9223372036854775807, 0, 0
// RUN: %{apply} INSTANCE
// INSTANCE: error: {{.*}}'nlp.exp' op expected its instance 1 next in the order, but got 9223372036854775807
// RUN: nlp-opt %t/order.mlir \
// RUN:     -nlp-plan-storage="machine=cpu memory-budget=12288" \
// RUN:   | FileCheck %s --check-prefix=REPLACED
// REPLACED: order = #nlp.order<ops =
// REPLACED-NOT: 9223372036854775807
// REDEFINE: %{order} = 0, 1, 2, 3, 4, 5, 6, 7, 1, 8], instances = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0
// RUN: %{apply} FIRST
// FIRST: error: {{.*}}'nlp.exp' op expected its instance 0 next in the order, but got 1
// REDEFINE: %{order} = 0, 1, 2, 3, 4, 5, 6, 8, 7], instances = [0, 0, 0, 0, 0, 0, 0, 0, 0
// RUN: %{apply} OPERAND
// OPERAND: error: 'nlp.slot_accumulate' op runs before its operand
// Nothing behind the turn runs twice, and nothing that has an effect.
// REDEFINE: %{order} = 0, 1, 2, 3, 4, 5, 6, 7, 8, 8], instances = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1
// RUN: %{apply} EFFECT
// EFFECT: error: 'nlp.slot_accumulate' op expected recomputations of ops that are marked 'recompute' only, and after nlp.turn
// REDEFINE: %{order} = 0, 1, 2, 3, 4, 5, 6, 7, 8, 4], instances = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1
// RUN: %{apply} TURN
// TURN: error: 'nlp.turn' op expected recomputations of ops that are marked 'recompute' only, and after nlp.turn

//--- step.mlir
nlp.parameter @w : tensor<1024xf32> init ones
nlp.step @train {
  nlp.slot @grad.w : tensor<1024xf32> {accumulate, parameter = @w}
  nlp.segment @forward_backward kind forward_backward {
    %w = nlp.read @w : tensor<1024xf32>
    %a = nlp.exp %w {plan = #nlp.op_plan<storage = [recompute]>} : tensor<1024xf32>
    %b = nlp.tanh %a : tensor<1024xf32>
    %c = nlp.sigmoid %b : tensor<1024xf32>
    nlp.turn
    %gc = nlp.mul %c, %b : tensor<1024xf32>
    %gb = nlp.mul %gc, %a : tensor<1024xf32>
    %ga = nlp.mul %gb, %w : tensor<1024xf32>
    nlp.slot_accumulate @grad.w, %ga : tensor<1024xf32>
  }
}

//--- graph.mlir
nlp.parameter @w : tensor<1024xf32> init ones
nlp.step @train {
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<1024xf32>
    %a = nlp.exp %w : tensor<1024xf32>
  }
}
