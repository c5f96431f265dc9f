//===- TensorBoard.h - Curves for TensorBoard -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_TENSORBOARD_H
#define NLPRT_CORE_TENSORBOARD_H

#include "core/Support.h"
#include <string_view>

namespace nlprt {

struct StepMetrics;

/// Writes an event file into a folder of its own run. A run that goes on adds
/// another file to the folder, as TensorBoard expects. Allocates nothing after
/// construction.
class TensorBoard {
public:
  /// An empty folder name writes nothing. Throws Error.
  explicit TensorBoard(const std::string &folder);

  void step(const StepMetrics &metrics);
  void evaluation(int64_t step, double loss);

private:
  void scalar(std::string_view tag, int64_t step, double value);
  void record(std::string_view event);

  std::string path;
  FileHandle file;
};

} // namespace nlprt

#endif // NLPRT_CORE_TENSORBOARD_H
