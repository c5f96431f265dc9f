// Recomputed values have the same bits, dropout included.
// RUN: nlp-opt %S/Inputs/block.mlir -nlp-autodiff -nlp-add-optimizer -o %t.joint
// RUN: nlp-opt %t.joint -nlp-apply-recompute -o %t.applied
// RUN: nlp-interpret %t.joint --steps=3 --compare=%t.applied --rtol=0
