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

/// "1 thread", "2 threads".
static std::string counted(int64_t count, const char *thing) {
  return format("%lld %s%s", printable(count), thing, count == 1 ? "" : "s");
}

/// Settings that were not given are shown too: they shape the run as much.
/// Those that the program does not use are left out.
static std::string describeRun(const nlprt_program &program,
                               const Options &options, int64_t begin) {
  const ScheduleOptions &schedule = options.schedule;
  auto uses = [&](int64_t kind) { return usesScalar(program, kind); };
  std::string text =
      format("run: steps %lld to %lld, lr %g (%s, warm-up %lld)",
             printable(begin + 1), printable(options.steps), schedule.peak,
             scheduleName(schedule.kind), printable(schedule.warmup));
  if (uses(NLPRT_WEIGHT_DECAY))
    text += format(", weight decay %g", options.weightDecay);
  if (uses(NLPRT_BETA1))
    text += format(", betas %g %g, eps %g", options.beta1, options.beta2,
                   options.epsilon);
  if (uses(NLPRT_MOMENTUM))
    text += format(", momentum %g", options.momentum);
  if (uses(NLPRT_MAX_GRAD_NORM))
    text += options.maxGradNorm > 0
                ? format(", clip at %g", options.maxGradNorm)
                : ", no clipping";
  return text + format(", seed %lld, ", printable(options.seed)) +
         (options.shuffled ? "shuffled" : "in order");
}

void Trainer::printStart() const {
  std::printf("%s: %lld parameters, arena %s, %s\n", program.model,
              printable(countParameters(program)),
              formatBytes(arena.bytes()).c_str(),
              counted(context.threads, "thread").c_str());
  if (options.steps > 0)
    std::printf("data: %lld %s, %s of %lld, %lld a step\n",
                printable(data.tokens()), data.format(),
                counted(order.sequencesPerEpoch(), "sequence").c_str(),
                printable(program.seq_len), printable(program.global_batch));
  if (evaluation)
    std::printf(
        "eval data: %lld of %s of %lld, %s\n",
        printable(evaluation->sequences()),
        counted(evaluation->sequencesOfFile(), "sequence").c_str(),
        printable(program.seq_len),
        counted(evaluation->sequences() * program.seq_len, "token").c_str());
  if (begin < options.steps)
    std::printf("%s\n", describeRun(program, options, begin).c_str());
  else if (options.steps > 0)
    std::printf("nothing to do: step %lld of %lld is done\n", printable(begin),
                printable(options.steps));
  else if (begin > 0)
    std::printf("evaluates the checkpoint of step %lld\n", printable(begin));
  if (begin > 0 && begin < options.steps)
    std::printf("goes on after step %lld\n", printable(begin));
  std::fflush(stdout);
}

void Trainer::printSummary(int64_t step) {
  int64_t done = step - begin;
  std::printf("%s", curve->draw().c_str());
  if (done > 0) {
    std::printf("steps       %lld of %lld\n", printable(step),
                printable(options.steps));
    double count = static_cast<double>(done);
    std::printf("loss        %.6f\n", loss);
    std::printf("speed       %.0f tokens/s, %.4f s a step\n",
                count * static_cast<double>(program.global_batch) *
                    static_cast<double>(program.seq_len) / seconds,
                seconds / count);
  }
  if (evaluated >= 0)
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
