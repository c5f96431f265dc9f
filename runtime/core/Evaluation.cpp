//===- Evaluation.cpp - The loss on held-out data -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Evaluation.h"
#include <algorithm>

namespace nlprt {

/// Sequences of `batches` global batches, but no more than there are.
static int64_t limitSequences(int64_t all, int64_t batches,
                              int64_t globalBatch) {
  return batches > 0 && batches <= all / globalBatch ? batches * globalBatch
                                                     : all;
}

Evaluation::Evaluation(const nlprt_program &program, const std::string &path,
                       int64_t batches)
    : program(program), file(path, program.vocab_size),
      order(file, path, program.seq_len, false, 0),
      count(limitSequences(order.sequencesPerEpoch(), batches,
                           program.global_batch)),
      tokens(program.micro_batch * (program.seq_len + 1)) {}

double Evaluation::run(StepRunner &runner, int64_t step,
                       const Hyperparameters &hyper) {
  int64_t micro = program.micro_batch, row = program.seq_len + 1;
  double sum = 0;
  for (int64_t first = 0; first < count; first += micro) {
    int64_t rows = std::min(micro, count - first);
    for (int64_t b = 0; b < rows; ++b)
      order.read(first + b, tokens.data() + b * row);
    sum += runner.evaluate(step, hyper, tokens.data(), rows);
  }
  return sum / static_cast<double>(count);
}

} // namespace nlprt
