//===- LossCurve.h - Losses of a run, drawn in the terminal -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_LOSSCURVE_H
#define NLPRT_CORE_LOSSCURVE_H

#include <cstdint>
#include <string>

namespace nlprt {

/// Means of the losses over equal parts of the steps. Memory is fixed, whatever
/// the number of steps.
class LossCurve {
public:
  LossCurve(int64_t first, int64_t last) : first(first), last(last) {}

  void add(int64_t step, double loss);

  /// Rows of text with an axis on the left; empty with fewer than ten steps.
  std::string draw() const;

private:
  static constexpr int parts = 120, height = 40; // dots: 60 by 10 cells
  static constexpr int64_t fewestSteps = 10;

  int64_t first, last;
  double sums[parts] = {};
  int64_t counts[parts] = {};
};

} // namespace nlprt

#endif // NLPRT_CORE_LOSSCURVE_H
