//===- Signals.h - Stopping between steps -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_SIGNALS_H
#define NLPRT_CORE_SIGNALS_H

#include <csignal>

namespace nlprt {

/// While it lives, the first SIGTERM or SIGINT only sets a flag, and another a
/// second or more later ends the process; full files (SIGXFSZ) and closed pipes (SIGPIPE) become
/// errors of the call. One at a time: signals belong to the process.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;

  /// The signal that came, or 0.
  int received() const;

private:
  static constexpr int watched[] = {SIGTERM, SIGINT, SIGXFSZ, SIGPIPE};
  struct sigaction before[4];
};

} // namespace nlprt

#endif // NLPRT_CORE_SIGNALS_H
