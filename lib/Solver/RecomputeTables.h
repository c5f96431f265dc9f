//===- RecomputeTables.h - Frontiers of runs of stages ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entries of the dynamic program over a chain and the filter that keeps
// tables short.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTETABLES_H
#define NLP_LIB_SOLVER_RECOMPUTETABLES_H

#include "RecomputeChain.h"
#include "llvm/ADT/bit.h"

namespace nlp::solver {

/// A way to run stages i to j: its peak, beside what is held outside and the
/// base when the window of stage j begins, and the seconds of recomputation.
struct ChainEntry {
  int64_t peakBytes = 0;
  double seconds = 0;
  /// The first `split` stages are an item with the option, or, where that is
  /// -1, are run forward without keeping anything and then solved as `left`.
  int32_t split = 0;
  int32_t option = -1;
  int32_t rest = -1; ///< Entry of the stages behind.
  int32_t left = -1;
};

/// By rising peak and falling time.
using ChainTable = std::vector<ChainEntry>;

/// Collects entries and keeps, of those with about the same peak, the fastest
/// and the one with the smallest peak. Peaks stay exact.
class TableBuilder {
public:
  /// `digits`: binary digits of a peak that are told apart. Peaks above `limit`
  /// are of no use.
  TableBuilder(int digits, int64_t limit) : shift(52 - digits), limit(limit) {}

  /// Offers an entry, which `make` makes if it is wanted.
  template <typename Make>
  void offer(int64_t peakBytes, double seconds, Make make) {
    if (peakBytes > limit)
      return;
    size_t slot = getSlot(peakBytes);
    if (slot - firstSlot >= slots.size())
      grow(slot);
    Slot &at = slots[slot - firstSlot];
    if (isBefore(seconds, peakBytes, at.fastestSeconds, at.fastestPeak)) {
      at.fastestSeconds = seconds;
      at.fastestPeak = peakBytes;
      fastest[slot - firstSlot] = make();
    }
    if (isBefore(peakBytes, seconds, at.flattestPeak, at.flattestSeconds)) {
      at.flattestSeconds = seconds;
      at.flattestPeak = peakBytes;
      flattest[slot - firstSlot] = make();
    }
  }

  /// The Pareto set of what was offered; empties the builder.
  ChainTable take();

private:
  struct Slot {
    double fastestSeconds = std::numeric_limits<double>::infinity();
    int64_t fastestPeak = INT64_MAX;
    int64_t flattestPeak = INT64_MAX;
    double flattestSeconds = std::numeric_limits<double>::infinity();
  };

  template <typename A, typename B>
  static bool isBefore(A a1, B a2, A b1, B b2) {
    return a1 < b1 || (a1 == b1 && a2 < b2);
  }
  size_t getSlot(int64_t peakBytes) const {
    double peak = static_cast<double>(peakBytes < 1 ? 1 : peakBytes);
    return llvm::bit_cast<uint64_t>(peak) >> shift;
  }
  void grow(size_t slot);

  int shift;
  int64_t limit;
  size_t firstSlot = 0;
  std::vector<Slot> slots;
  std::vector<ChainEntry> fastest, flattest;
};

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTETABLES_H
