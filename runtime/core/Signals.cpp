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

namespace nlprt {

static volatile std::sig_atomic_t stopSignal = 0;

static void requestStop(int number) {
  stopSignal = number;
  // The next one does what it does without us.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
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
