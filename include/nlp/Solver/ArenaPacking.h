//===- ArenaPacking.h - Offsets for buffers in one arena --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic storage allocation: buffers with known lifetimes and sizes get
// offsets in one arena so that no two that are live together overlap, and the
// arena is as small as can be found. NP-hard; solved by a portfolio of greedy
// orders, improvement around the peak, and exact search where instances are
// small or tight. Numbers in, numbers out. The same problem and options give
// the same solution, since every limit counts work, not time.
//
//   PackingProblem problem;
//   problem.buffers.push_back({bytes, alignment, {{start, end}}});
//   assert(!problem.check());
//   PackingSolution solution = packArena(problem);
//   assert(!solution.verify(problem));
//
//===----------------------------------------------------------------------===//

#ifndef NLP_SOLVER_ARENAPACKING_H
#define NLP_SOLVER_ARENAPACKING_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nlp::solver {

/// The half-open interval [start, end) of some order of execution.
struct LiveInterval {
  int64_t start = 0;
  int64_t end = 0;

  bool operator==(const LiveInterval &other) const {
    return start == other.start && end == other.end;
  }
};

/// What needs a place.
struct PackingBuffer {
  int64_t bytes = 0;
  /// A power of two that divides the offset.
  int64_t alignment = 1;
  /// When the buffer holds something: disjoint intervals in rising order.
  /// Several where the same code runs several times. None: conflicts with
  /// nothing.
  llvm::SmallVector<LiveInterval, 1> live;
  /// The offset, where it is already decided.
  std::optional<int64_t> fixedOffset;
};

struct PackingProblem {
  std::vector<PackingBuffer> buffers;
  /// The arena's size, if there is a limit: a solution that keeps it is good
  /// enough, however much smaller it might be.
  std::optional<int64_t> capacity;

  /// What is wrong with the problem, or nothing. A good problem has a solution
  /// (if perhaps above the capacity) and no sum in it leaves int64.
  std::optional<std::string> check() const;

  /// The largest sum of bytes that are live together.
  int64_t getMaxLiveBytes() const;

  /// A height that no solution is below: the bytes live together, rounded up as
  /// the smallest alignment makes them, and what fixed buffers reach.
  int64_t getLowerBound() const;
};

struct PackingSolution {
  /// One for each buffer of the problem, in its order.
  std::vector<int64_t> offsets;
  /// The arena's size: the largest end of a buffer.
  int64_t height = 0;

  /// What is wrong with the solution, or nothing. Shares no code with the
  /// solver. A height above the capacity is wrong, too.
  std::optional<std::string> verify(const PackingProblem &problem) const;
};

/// How much work a solution is worth. A unit is about a nanosecond: one look at
/// one pair of buffers.
struct PackingOptions {
  /// For greedy orders and improvement.
  int64_t improveWork = 50'000'000;
  /// For exact search, which starts where greedy has left a gap.
  int64_t searchWork = 200'000'000;
  uint64_t seed = 1;
  /// Asked now and then; true ends the work early. For limits in time, which
  /// make results depend on the machine.
  std::function<bool()> shouldStop;
};

/// Packs a problem that check() finds nothing wrong with. The best solution
/// found, whether or not it keeps the capacity.
PackingSolution packArena(const PackingProblem &problem,
                          const PackingOptions &options = {});

} // namespace nlp::solver

#endif // NLP_SOLVER_ARENAPACKING_H
