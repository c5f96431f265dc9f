// F0 F1 F2 B0 B1 B2 gives the bits of F0 B0 F1 B1 F2 B2, recomputation included.
// RUN: nlp-opt %S/Inputs/block.mlir -nlp-autodiff -nlp-add-optimizer \
// RUN:   -nlp-apply-micro-batch -o %t.joint
// RUN: nlp-opt %t.joint -nlp-apply-recompute -nlp-apply-schedule \
// RUN:   -nlp-verify-phase=phase=applied -o %t.applied
// RUN: FileCheck %s < %t.applied
// RUN: nlp-interpret %t.joint --steps=3 --compare=%t.applied --rtol=0

// CHECK: schedule = [#nlp.run<@forward, 0>, #nlp.run<@forward, 1>, #nlp.run<@forward, 2>, #nlp.run<@backward, 0>,
