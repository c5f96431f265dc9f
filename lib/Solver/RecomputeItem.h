//===- RecomputeItem.h - Simulates a run of stages --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What it costs to keep some of an item's storages and to make the others
// again: (9) of docs/Planner/Recompute.md.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_SOLVER_RECOMPUTEITEM_H
#define NLP_LIB_SOLVER_RECOMPUTEITEM_H

#include "RecomputeChain.h"

namespace nlp::solver {

/// Simulates one item.
class ItemSimulator {
public:
  ItemSimulator(const Chain &chain, int32_t begin, int32_t end);

  /// What becomes of each storage between its uses.
  enum : char { kRemakeOnce, kKeep, kRemakeEachTime };
  using Choice = std::vector<char>;

  ItemOption simulate(const Choice &choice);
  /// Storages of use to the backward pass, large ones first.
  std::vector<int32_t> getUseful() const { return useful; }
  /// Ops of a simulation.
  size_t getLength() const { return ops.size() + window.size() + 1; }
  size_t getNumStorages() const { return storageBytes.size(); }
  int64_t getBytes(int32_t storage) const { return storageBytes[storage]; }
  /// What has to be kept, since other stages make a part of it.
  Choice getForced() const { return forced; }
  /// Whether the backward pass runs the storage's op again.
  bool isRemade(int32_t storage) const {
    return makers[storage] >= 0 && wasRun[makers[storage]];
  }

private:
  /// An op with its operands that take bytes of the item's own.
  struct LocalOp {
    double seconds = 0;
    int64_t workspaceBytes = 0;
    llvm::SmallVector<int32_t, 4> inputs, touched; ///< Values; storages.
    llvm::SmallVector<int32_t, 2> outputs;
    /// Input storage, output storage or -1, bytes.
    struct Pair {
      int32_t from, to;
      int64_t bytes;
    };
    llvm::SmallVector<Pair, 1> inPlace;
  };

  int32_t addValue(int32_t value);
  LocalOp makeOp(int32_t op);
  bool isMadeHere(int32_t value) const {
    return makersOfValues[value] >= 0 &&
           makersOfValues[value] < static_cast<int32_t>(ops.size());
  }
  void findMissing(int32_t value);
  void makeForward(const Choice &choice, ItemOption &option);
  void makeBackward(const Choice &choice, ItemOption &option);
  void findDrops(const ItemOption &option);
  int64_t getBackwardPeak(const ItemOption &option);
  int64_t getForwardPeak(const Choice &choice, bool boundaryStays);
  void findUseful();

  const Chain &chain;
  const RecomputeProgram &program;
  ChainStage range; // from the first stage's begin to the last one's end
  int32_t boundary, outBoundary; // local storages, or -1
  /// Whether what leads in is read in an earlier stage's window, too.
  bool isShared = false;
  bool staysIn = true; ///< Whether what leads in is held up to the window.
  std::map<int32_t, int32_t> localValues, localStorages;
  std::vector<int32_t> valueStorages, makersOfValues; // of local values
  std::vector<int32_t> makers;                        // of local storages
  std::vector<int64_t> storageBytes;
  std::vector<LocalOp> ops, window;
  std::vector<int64_t> during, before; // base of the window
  Choice forced;
  std::vector<int32_t> useful;
  // Of the simulation at hand.
  struct Drop {
    int32_t position, storage;
  };
  std::vector<char> isLive, isRun, wasRun, isNeeded, isHere;
  std::vector<int32_t> missing, lastTouch;
  std::vector<Drop> drops;
};

} // namespace nlp::solver

#endif // NLP_LIB_SOLVER_RECOMPUTEITEM_H
