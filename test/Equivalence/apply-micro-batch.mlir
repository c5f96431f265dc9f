// Sums are grouped anew and nothing else: f64 keeps 1e-9 of the loss.
// RUN: nlp-opt %S/Inputs/block.mlir -nlp-autodiff -nlp-add-optimizer -o %t.joint
// RUN: nlp-opt %t.joint -nlp-apply-micro-batch -o %t.applied
// RUN: nlp-interpret %t.joint --steps=3 --compare=%t.applied --rtol=1e-6
