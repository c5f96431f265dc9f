//===- Signals.cpp - Stopping between steps -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal handler has no argument to carry state in, so the flag is the one
// variable of the runtime that belongs to the process.
//
//===----------------------------------------------------------------------===//

#include "core/Signals.h"
#include <ctime>

namespace nlprt {

static volatile std::sig_atomic_t stopSignal = 0;
static struct timespec stoppedAt; // only the handler looks at it

/// Launchers and terminals send one request to a process and to its group: what
/// comes within this time of the first signal is the same request.
static constexpr double sameRequestSeconds = 1.0;

static void requestStop(int number) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!stopSignal) {
    stopSignal = number;
    stoppedAt = now;
    return;
  }
  double seconds = static_cast<double>(now.tv_sec - stoppedAt.tv_sec) +
                   1e-9 * static_cast<double>(now.tv_nsec - stoppedAt.tv_nsec);
  if (seconds < sameRequestSeconds)
    return;
  // A later one does what it does without us.
  std::signal(number, SIG_DFL);
  std::raise(number);
}

StopSignals::StopSignals() {
  stopSignal = 0;
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 4; ++i) {
    action.sa_handler = i < 2 ? requestStop : SIG_IGN;
    action.sa_flags = SA_RESTART;
    sigaction(watched[i], &action, &before[i]);
  }
}

StopSignals::~StopSignals() {
  for (int i = 0; i < 4; ++i)
    sigaction(watched[i], &before[i], nullptr);
}

int StopSignals::received() const { return stopSignal; }

} // namespace nlprt
