//===- Summary.cpp - What a run says before and after -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Describe.h"
#include "core/Trainer.h"
#include <cmath>
#include <cstdio>

namespace nlprt {

static long long printable(int64_t value) { return value; }

/// Settings that were not given are shown too: they shape the run as much.
void Trainer::printStart() const {
  std::printf("%s: %lld parameters, arena %s, %lld threads\n", program.model,
              printable(countParameters(program)),
              formatBytes(arena.bytes()).c_str(), printable(context.threads));
  std::printf("data: %lld %s, %lld sequences of %lld, %lld a step\n",
              printable(data.tokens()), data.format(),
              printable(order.sequencesPerEpoch()), printable(program.seq_len),
              printable(program.global_batch));
  if (evaluation)
    std::printf("eval data: %lld of %lld sequences of %lld, %lld tokens\n",
                printable(evaluation->sequences()),
                printable(evaluation->sequencesOfFile()),
                printable(program.seq_len),
                printable(evaluation->sequences() * program.seq_len));
  std::printf("run: steps %lld to %lld, lr %g (%s, warm-up %lld), weight decay "
              "%g, betas %g %g, eps %g, momentum %g, clip at %g, seed %lld, "
              "%s\n",
              printable(begin + 1), printable(options.steps),
              options.schedule.peak, scheduleName(options.schedule.kind),
              printable(options.schedule.warmup), options.weightDecay,
              options.beta1, options.beta2, options.epsilon, options.momentum,
              options.maxGradNorm, printable(options.seed),
              options.shuffled ? "shuffled" : "in order");
  if (begin > 0)
    std::printf("goes on after step %lld\n", printable(begin));
  std::fflush(stdout);
}

void Trainer::printSummary(int64_t step) {
  int64_t done = step - begin;
  std::printf("%s", curve->draw().c_str());
  std::printf("steps       %lld of %lld\n", printable(step),
              printable(options.steps));
  if (done > 0) {
    double count = static_cast<double>(done);
    std::printf("loss        %.6f\n", loss);
    std::printf("speed       %.0f tokens/s, %.4f s a step\n",
                count * static_cast<double>(program.global_batch) *
                    static_cast<double>(program.seq_len) / seconds,
                seconds / count);
  }
  if (evaluated > 0)
    std::printf("eval loss   %.6f at step %lld (perplexity %.4g)\n",
                evaluationLoss, printable(evaluated), std::exp(evaluationLoss));
  std::printf("planned     %s\n", formatBytes(program.arena_bytes).c_str());
  std::printf("allocated   %s\n", formatBytes(arena.bytes()).c_str());
  std::printf("process     %s at its peak, with code, libraries and mapped "
              "files\n",
              formatBytes(residentPeak()).c_str());
  std::printf("grown       %lld bytes resident since the first step\n",
              printable(residentAtFirst));
  std::fflush(stdout);
}

} // namespace nlprt
