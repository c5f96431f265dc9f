//===- Command.h - What the subcommands of nlp-solve share -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors, and a clock that ends a search and shows that it goes on.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_TOOLS_NLP_SOLVE_COMMAND_H
#define NLP_TOOLS_NLP_SOLVE_COMMAND_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <functional>

namespace nlp {

/// Prints `error` as this tool's; returns `code`.
int fail(llvm::Error error, int code = 1);

/// Starts when it is made. On a terminal it shows the seconds that pass.
class SearchClock {
public:
  /// `limitSeconds` of 0 is none.
  explicit SearchClock(double limitSeconds);
  /// Takes back what was shown.
  ~SearchClock();
  SearchClock(const SearchClock &) = delete;
  SearchClock &operator=(const SearchClock &) = delete;

  double getSeconds() const;
  /// Whether the limit has passed; for searches to ask now and then.
  std::function<bool()> getShouldStop();

private:
  std::chrono::steady_clock::time_point start;
  double limitSeconds;
  bool isTerminal;
  int shownSeconds = 1;
};

} // namespace nlp

#endif // NLP_TOOLS_NLP_SOLVE_COMMAND_H
