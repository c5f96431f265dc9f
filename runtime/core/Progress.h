//===- Progress.h - What a run shows while it trains -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_PROGRESS_H
#define NLPRT_CORE_PROGRESS_H

#include <cstdint>

namespace nlprt {

/// A bar on stderr if it is a terminal, else a line on stdout now and then.
/// Allocates nothing.
class Progress {
public:
  Progress(int64_t first, int64_t last);
  ~Progress() { clear(); }

  void step(int64_t step, double loss, double learningRate,
            double tokensPerSecond);
  /// Takes the bar off the screen, before other output.
  /// A line on stdout.
  void evaluation(int64_t step, double loss);

  void clear();

private:
  void drawBar(int64_t step, double loss, double tokensPerSecond);

  int64_t first, last;
  bool terminal, shown = false;
  double begin, latest;
};

/// Seconds of a clock that only goes forward.
double secondsNow();

} // namespace nlprt

#endif // NLPRT_CORE_PROGRESS_H
