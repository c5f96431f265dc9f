//===- CheckGradients.h - Gradients against differences ---------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along a direction d of a parameter p, the gradient g promises the slope g.d;
// the loss is evaluated at four points p + k h d to measure it with an error of
// h^4. One direction goes through all elements of a parameter at once; others
// through single elements, drawn at random.
//
// Cost: four losses for each direction. Limits: kinks of the loss within 2 h
// of the point give false alarms.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_REFERENCE_CHECKGRADIENTS_H
#define NLP_REFERENCE_CHECKGRADIENTS_H

#include "nlp/Reference/StepInterpreter.h"
#include "llvm/Support/raw_ostream.h"

namespace nlp::ref {

struct GradientCheckOptions {
  /// h above.
  double stepSize = 1e-3;
  /// The largest difference, relative to the slope.
  double tolerance = 1e-6;
  /// Single elements checked in each parameter.
  int64_t elements = 4;
};

/// Checks all gradients of the step at `input` and prints the worst difference
/// to `os`. True where all are within the tolerance; fails where the step does.
llvm::FailureOr<bool> checkGradients(StepInterpreter &interpreter,
                                     const StepInput &input,
                                     const GradientCheckOptions &options,
                                     llvm::raw_ostream &os);

} // namespace nlp::ref

#endif // NLP_REFERENCE_CHECKGRADIENTS_H
