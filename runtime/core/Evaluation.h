//===- Evaluation.h - The loss on held-out data -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An evaluation is the mean loss over the tokens of the first sequences of a
// file, each once and in order. Which these are depends on the file and on
// --eval-batches, never on how the plan cuts a batch: where the last
// micro-batch is not full, its other rows have targets that count nothing.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_EVALUATION_H
#define NLPRT_CORE_EVALUATION_H

#include "core/DataOrder.h"
#include "core/Step.h"
#include <string>
#include <vector>

namespace nlprt {

class Evaluation {
public:
  /// Opens `path`. `batches`: at most so many global batches; 0: the whole
  /// file. Throws Error.
  Evaluation(const nlprt_program &program, const std::string &path,
             int64_t batches);

  /// The mean loss with the parameters as they are after `step`.
  double run(StepRunner &runner, int64_t step, const Hyperparameters &hyper);

  /// Sequences of one evaluation, and of the whole file.
  int64_t sequences() const { return count; }
  int64_t sequencesOfFile() const { return order.sequencesPerEpoch(); }

private:
  const nlprt_program &program;
  TokenFile file;
  DataOrder order;
  int64_t count;
  std::vector<int32_t> tokens; // [micro_batch, seq_len + 1]
};

} // namespace nlprt

#endif // NLPRT_CORE_EVALUATION_H
