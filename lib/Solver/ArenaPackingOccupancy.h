//===- ArenaPackingOccupancy.h - Which bytes are taken when -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What greedy packing asks: which bytes are taken while a buffer is live.
// Placed buffers stay. What lies side by side is joined, so that a stack of a
// thousand buffers is looked at as one.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_ARENAPACKINGOCCUPANCY_H
#define NLP_LIB_SOLVER_ARENAPACKINGOCCUPANCY_H

#include "nlp/Solver/ArenaPacking.h"
#include "llvm/ADT/ArrayRef.h"

namespace nlp::solver {

/// The times that decide which buffers conflict: the last starts ahead of an
/// end. Two buffers are live together if and only if they are at one of these.
class LiveTimes {
public:
  /// The half-open range of numbers of times at which a buffer is live.
  struct Span {
    uint32_t first, last;
  };

  explicit LiveTimes(const PackingProblem &problem);

  size_t size() const { return count; }

  /// Disjoint and rising; none for a buffer without bytes.
  llvm::ArrayRef<Span> getSpans(uint32_t buffer) const {
    return llvm::ArrayRef(spans).slice(
        spansBegin[buffer], spansBegin[buffer + 1] - spansBegin[buffer]);
  }

private:
  size_t count = 0;
  std::vector<Span> spans;
  std::vector<uint32_t> spansBegin; // of each buffer
};

/// Bytes from an offset to an end.
struct ByteRange {
  int64_t begin, end;

  bool operator<(const ByteRange &other) const {
    return begin != other.begin ? begin < other.begin : end < other.end;
  }
};

/// The bytes that are taken at each time. Segment tree over times; a node holds
/// what is taken at all of its times, and what is at any of them.
class OccupiedBytes {
public:
  explicit OccupiedBytes(const LiveTimes &times);

  void insert(uint32_t buffer, ByteRange range);

  /// Sets `taken` to what is taken at some time of `buffer`'s life, in rising
  /// order; ranges may touch or overlap.
  void findTaken(uint32_t buffer, std::vector<ByteRange> &taken);

  /// Looks at nodes and ranges so far: what work is counted in.
  int64_t work = 0;

private:
  using Ranges = llvm::SmallVector<ByteRange, 2>;
  struct Node {
    Ranges always, sometimes;
  };

  void add(Ranges &ranges, ByteRange range);
  void insert(size_t node, uint32_t begin, uint32_t end, LiveTimes::Span span,
              ByteRange range);
  void collect(size_t node, uint32_t begin, uint32_t end, LiveTimes::Span span,
               std::vector<ByteRange> &taken);

  const LiveTimes &times;
  uint32_t leafCount;      // power of two
  std::vector<Node> nodes; // node i has children 2i and 2i + 1
};

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_ARENAPACKINGOCCUPANCY_H
