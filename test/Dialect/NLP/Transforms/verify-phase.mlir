// RUN: nlp-opt %s -nlp-verify-phase=phase=graph \
// RUN:   -nlp-autodiff -nlp-add-optimizer -nlp-verify-phase=phase=joint \
// RUN:   -o %t.joint
// RUN: nlp-opt %t.joint -nlp-verify-phase=phase=applied -o /dev/null
// RUN: not nlp-opt %t.joint -nlp-verify-phase=phase=graph 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOT-GRAPH
// RUN: not nlp-opt %t.joint -nlp-verify-phase=phase=planned 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOT-PLANNED
// RUN: not nlp-opt %s -nlp-verify-phase=phase=joint 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOT-JOINT

// NOT-GRAPH: expected one forward segment, but got 0
// NOT-PLANNED: expected a plan
// NOT-JOINT: expected a schedule
nlp.parameter @w : tensor<3xf32> init ones {decay}
nlp.step @step {
  nlp.segment @forward kind forward {
    %w = nlp.read @w : tensor<3xf32>
    %loss = nlp.reduce_sum %w leading 1 : tensor<3xf32>
    nlp.report loss, %loss : tensor<f32>
  }
}
