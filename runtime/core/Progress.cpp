//===- Progress.cpp - What a run shows while it trains -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Progress.h"
#include "core/Trace.h"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace nlprt {

double secondsNow() { return static_cast<double>(Trace::now()) * 1e-9; }

Progress::Progress(int64_t first, int64_t last)
    : first(first), last(last), terminal(isatty(STDERR_FILENO)),
      begin(secondsNow()), latest(begin) {}

void Progress::drawBar(int64_t step, double loss, double tokensPerSecond) {
  static constexpr int width = 24;
  int64_t done = step - first + 1, total = last - first + 1;
  int filled = static_cast<int>(done * width / total);
  double left = (secondsNow() - begin) / static_cast<double>(done) *
                static_cast<double>(total - done);
  char line[256];
  char *end = line + std::snprintf(line, sizeof(line), "\r\x1b[2K");
  for (int i = 0; i < width; ++i) {
    const char *cell = i < filled ? "━" : "─";
    for (; *cell; ++cell)
      *end++ = *cell;
  }
  end += std::snprintf(end, line + sizeof(line) - end,
                       " %lld/%lld  loss %.4f  %.0f tokens/s  %lld:%02lld left",
                       (long long)step, (long long)last, loss, tokensPerSecond,
                       (long long)left / 60, (long long)left % 60);
  if (write(STDERR_FILENO, line, end - line) < 0)
    terminal = false;
  shown = true;
}

void Progress::step(int64_t step, double loss, double learningRate,
                    double tokensPerSecond) {
  double time = secondsNow();
  if (terminal) {
    // Runs of less than two seconds need no bar.
    if (time - begin > 2 && (time - latest > 0.1 || step == last)) {
      latest = time;
      drawBar(step, loss, tokensPerSecond);
    }
    return;
  }
  int64_t every = std::max<int64_t>((last - first + 1) / 20, 1);
  if (step != first && step != last && step % every != 0 && time - latest < 30)
    return;
  latest = time;
  char line[160];
  int length = std::snprintf(
      line, sizeof(line), "step %lld/%lld  loss %.4f  lr %.3g  %.0f tokens/s\n",
      (long long)step, (long long)last, loss, learningRate, tokensPerSecond);
  std::fwrite(line, 1, length, stdout);
  std::fflush(stdout);
}

void Progress::evaluation(int64_t step, double loss) {
  clear();
  char line[120];
  int length =
      std::snprintf(line, sizeof(line), "step %lld/%lld  eval loss %.6f\n",
                    (long long)step, (long long)last, loss);
  std::fwrite(line, 1, length, stdout);
  std::fflush(stdout);
}

void Progress::clear() {
  if (shown && write(STDERR_FILENO, "\r\x1b[2K", 5) < 0)
    terminal = false;
  shown = false;
}

} // namespace nlprt
