//===- Command.cpp - What the subcommands of nlp-solve share -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Progress goes to standard error, and only where a person reads it.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "nlp/Support/Escape.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace nlp;

int nlp::fail(llvm::Error error, int code) {
  llvm::errs() << "nlp-solve: error: "
               << escapeLines(llvm::toString(std::move(error))) << "\n";
  return code;
}

SearchClock::SearchClock(double limitSeconds)
    : start(std::chrono::steady_clock::now()), limitSeconds(limitSeconds),
      isTerminal(isatty(STDERR_FILENO)) {}

SearchClock::~SearchClock() {
  if (isTerminal && shownSeconds > 1)
    llvm::errs() << "\r\33[K";
}

double SearchClock::getSeconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

std::function<bool()> SearchClock::getShouldStop() {
  return [this] {
    double seconds = getSeconds();
    if (isTerminal && seconds >= shownSeconds + 1) {
      shownSeconds = static_cast<int>(seconds);
      llvm::errs() << "\rnlp-solve: searching, " << shownSeconds << " s ";
    }
    return limitSeconds > 0 && seconds >= limitSeconds;
  };
}
