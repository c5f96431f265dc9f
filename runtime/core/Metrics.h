//===- Metrics.h - A JSON line per step -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_METRICS_H
#define NLPRT_CORE_METRICS_H

#include "core/Support.h"
#include <cstddef>

namespace nlprt {

struct StepMetrics {
  int64_t step;
  double loss, gradNorm, learningRate, seconds, tokensPerSecond;
  int64_t memoryBytes;
};

/// Appends whole lines; each is in the file when its function returns. Nothing
/// is allocated after construction.
class Metrics {
public:
  /// An empty path writes nothing. A fresh run begins an empty file; a run that
  /// goes on after step `resumed` keeps the lines up to it. Throws Error.
  Metrics(const std::string &path, int64_t resumed);

  void step(const StepMetrics &metrics);
  void evaluation(int64_t step, double loss);

private:
  void writeLine(const char *text, size_t length);

  std::string path;
  FileHandle file;
};

} // namespace nlprt

#endif // NLPRT_CORE_METRICS_H
