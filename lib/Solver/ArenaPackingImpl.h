//===- ArenaPackingImpl.h - Parts of the arena packer -----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ArenaPacking*.cpp share: leaving out times that say nothing new, finding
// the placed buffers that are live with another, placing buffers one by one.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_ARENAPACKINGIMPL_H
#define NLP_LIB_SOLVER_ARENAPACKINGIMPL_H

#include "ArenaPackingOccupancy.h"
#include "llvm/ADT/ArrayRef.h"

namespace nlp::solver {

/// Scatters the bits of `value` (the finalizer of splitmix64).
inline uint64_t scatterBits(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// The problem without the times at which the same buffers are live as at an
/// earlier one: the same buffers conflict, and its solutions are those of
/// `problem`. Empty where little would be gained.
std::optional<PackingProblem> dropRepeatedTimes(const PackingProblem &problem);

/// A set of buffers that is asked which of them are live with a given one.
/// Segment tree over all live intervals by start, holding the latest end among
/// those in the set: O(log n) for a change, O(log n) for each buffer found.
class LiveIndex {
public:
  explicit LiveIndex(const PackingProblem &problem);

  void insert(uint32_t buffer);
  void erase(uint32_t buffer);

  /// Appends the buffers of the set that are live with `buffer`, each once.
  void findConflicts(uint32_t buffer, std::vector<uint32_t> &found);

  /// Looks at buffers so far: what work is counted in.
  int64_t work = 0;

private:
  void setLeaf(size_t leaf, int64_t end);
  void visit(size_t node, int64_t start, std::vector<uint32_t> &found);

  struct Interval {
    int64_t start, end;
    uint32_t buffer;
  };
  std::vector<Interval> intervals;   // by start
  std::vector<uint32_t> leavesBegin; // of each buffer, in `leaves`
  std::vector<uint32_t> leaves;      // indices into `intervals`
  size_t leafCount = 1;              // power of two
  std::vector<int64_t> latestEnd;    // node i has children 2i and 2i + 1
  std::vector<uint32_t> stamps;      // of each buffer, when found last
  uint32_t stamp = 0;
};

/// Which gap a buffer goes into: the lowest that holds it, or the tightest.
enum class FitRule { First, Best };

/// The offset that `wanted` gets where `taken`, in rising order, is not free.
int64_t findGap(llvm::ArrayRef<ByteRange> taken, const PackingBuffer &wanted,
                FitRule rule);

/// The end of the arena at which a buffer is put.
enum class ArenaEnd { Bottom, Top };

/// Places buffers one by one, for good. Buffers with fixed offsets are always
/// placed.
class Stacker {
public:
  /// What goes to the top is put below `ceiling`, where it fits there.
  Stacker(const PackingProblem &problem, const LiveTimes &times,
          int64_t ceiling = INT64_MAX);

  /// Places the buffers of `order` one after the other at the bottom, as long
  /// as the height stays below `limit`. Whether all were placed.
  bool place(llvm::ArrayRef<uint32_t> order, FitRule rule,
             int64_t limit = INT64_MAX);

  /// Places one buffer: as near to an end as it goes, or in the tightest gap.
  void place(uint32_t buffer, ArenaEnd end, FitRule rule = FitRule::First);

  int64_t getHeight() const { return height; }
  int64_t getWork() const { return occupied.work; }

  /// Offsets by buffer; -1 where it is not placed.
  std::vector<int64_t> offsets;

private:
  int64_t findTopGap(const PackingBuffer &wanted) const;
  void insert(uint32_t buffer, int64_t offset);

  const PackingProblem &problem;
  OccupiedBytes occupied;
  int64_t ceiling;
  int64_t height = 0;
  std::vector<ByteRange> taken; // while the buffer at hand is live
};

/// Places buffers one by one, and takes them out again. Buffers with fixed
/// offsets are always placed.
class Placer {
public:
  explicit Placer(const PackingProblem &problem);

  /// Places the buffers of `order` one after the other.
  void place(llvm::ArrayRef<uint32_t> order, FitRule rule);

  /// Takes `buffers`, which are placed, out again.
  void remove(llvm::ArrayRef<uint32_t> buffers);

  /// Puts `buffers` where `offsets`, indexed by buffer, says.
  void restore(llvm::ArrayRef<uint32_t> buffers,
               llvm::ArrayRef<int64_t> offsets);

  /// The largest end of a placed buffer. O(n).
  int64_t getHeight() const;

  int64_t getWork() const { return index.work; }
  int64_t getEnd(uint32_t buffer) const {
    return offsets[buffer] + problem.buffers[buffer].bytes;
  }

  /// Offsets by buffer; -1 where it is not placed.
  std::vector<int64_t> offsets;

private:
  void findTaken(uint32_t buffer);
  void insert(uint32_t buffer, int64_t offset);

  const PackingProblem &problem;
  LiveIndex index;
  std::vector<uint32_t> conflicts;
  std::vector<ByteRange> taken;
};

/// What orders compare buffers by.
struct BufferKeys {
  double lifetime = 0; // in distinct times
  double area = 0;     // bytes times lifetime
  double pressure = 0; // bytes of all live buffers, over the lifetime
  int64_t busiest = 0; // most bytes live at a time of its life
  int64_t start = 0;   // of its first interval
  int64_t end = 0;     // of its last interval
  int64_t bytes = 0;
};

/// The keys of each buffer.
std::vector<BufferKeys> getBufferKeys(const PackingProblem &problem);

/// The best solution so far and what would end the work.
struct PackingState {
  const PackingProblem &problem;
  const PackingOptions &options;
  LiveTimes times = LiveTimes(problem);
  std::vector<BufferKeys> keys = getBufferKeys(problem);
  /// A height that is good enough.
  int64_t target = 0;
  PackingSolution best{};

  bool isDone() const { return !best.offsets.empty() && best.height <= target; }
  bool shouldStop() const { return options.shouldStop && options.shouldStop(); }

  /// Takes `offsets` if it is lower than the best.
  void offer(const std::vector<int64_t> &offsets, int64_t height);
};

/// Stacks what lives long at both ends of the arena, what lives shortly
/// between.
void packBothEnds(PackingState &state);

/// Tries greedy orders, each placed by first and by best fit.
void packGreedily(PackingState &state);

/// Places all buffers again and again, first those that reached above the
/// target the last time, at least once and until `limit` is spent. Returns the
/// work.
int64_t repackOffenders(PackingState &state, int64_t limit);

/// Improves the best solution by repacking around its peak.
void improvePacking(PackingState &state, int64_t work);

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_ARENAPACKINGIMPL_H
