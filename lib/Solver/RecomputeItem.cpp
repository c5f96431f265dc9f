//===- RecomputeItem.cpp - Simulates a run of stages ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that are missing in the backward pass are made again just before their
// use and stay until their last one, or are made once more for each use. The
// order of executions comes first, then a scan from its end that finds where
// each storage is read last, then the peak. Linear in the ops of the item.
//
//===----------------------------------------------------------------------===//

#include "RecomputeItem.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace nlp::solver;

int32_t ItemSimulator::addValue(int32_t value) {
  auto [it, isNew] = localValues.try_emplace(value, localValues.size());
  if (!isNew)
    return it->second;
  int32_t id = it->second;
  int32_t storage = program.storages[value];
  auto [at, storageIsNew] =
      localStorages.try_emplace(storage, localStorages.size());
  if (storageIsNew) {
    storageBytes.push_back(program.storageBytes[storage]);
    makers.push_back(program.producers[storage] - range.opBegin);
  }
  valueStorages.push_back(at->second);
  makersOfValues.push_back(program.producers[value] - range.opBegin);
  return id;
}

/// The op with its operands that the item decides on; others are always live.
ItemSimulator::LocalOp ItemSimulator::makeOp(int32_t op) {
  const ProgramOp &details = program.getOp(op);
  LocalOp local;
  local.seconds = details.seconds;
  local.workspaceBytes = details.workspaceBytes;
  auto isOwn = [&](int32_t value) {
    int32_t storage = program.storages[value];
    int32_t producer = program.producers[storage];
    if (program.getBytes(value) == 0 || chain.isPinned[storage])
      return false;
    return (producer >= range.opBegin && producer < range.opEnd) ||
           storage == range.boundary;
  };
  auto touch = [&](int32_t id) {
    if (!is_contained(local.touched, valueStorages[id]))
      local.touched.push_back(valueStorages[id]);
  };
  for (int32_t value : details.inputs)
    if (isOwn(value)) {
      local.inputs.push_back(addValue(value));
      touch(local.inputs.back());
    }
  for (int32_t value : details.outputs)
    if (isOwn(value)) {
      local.outputs.push_back(addValue(value));
      touch(local.outputs.back());
    }
  for (auto [output, input] : details.inPlace) {
    int32_t from = details.inputs[input], to = details.outputs[output];
    if (!isOwn(from) || program.storages[from] == program.storages[to])
      continue;
    local.inPlace.push_back(
        {valueStorages[addValue(from)],
         isOwn(to) ? valueStorages[addValue(to)] : -1,
         std::min(program.getBytes(from), program.getBytes(to))});
  }
  return local;
}

ItemSimulator::ItemSimulator(const Chain &chain, int32_t begin, int32_t end)
    : chain(chain), program(*chain.program), range(chain.stages[begin]) {
  range.opEnd = chain.stages[end - 1].opEnd;
  range.windowBegin = chain.stages[end - 1].windowBegin;
  for (int32_t i = range.opBegin; i < range.opEnd; ++i)
    ops.push_back(makeOp(i));
  int64_t base = chain.baseBefore[range.windowBegin];
  for (int32_t t = range.windowBegin; t < range.windowEnd; ++t) {
    window.push_back(makeOp(t));
    during.push_back(chain.baseDuring[t] - base);
    before.push_back(chain.baseBefore[t] - base);
  }
  auto find = [&](int32_t storage) {
    auto it = localStorages.find(storage);
    return it == localStorages.end() ? -1 : it->second;
  };
  boundary = range.boundary < 0 ? -1 : find(range.boundary);
  isShared = chain.stages[begin].sharesBoundary;
  bool isLast = end == static_cast<int32_t>(chain.stages.size());
  outBoundary = isLast ? -1 : find(chain.stages[end].boundary);
  if (outBoundary == boundary)
    outBoundary = -1; // the same value leads through
  forced.assign(storageBytes.size(), 0);
  // A view that other stages make of what leads out of this one.
  std::vector<char> isMade(localValues.size(), 0);
  for (const LocalOp &op : window) {
    for (int32_t value : op.inputs)
      if (!isMadeHere(value) && !isMade[value])
        forced[valueStorages[value]] = 1;
    for (int32_t value : op.outputs)
      isMade[value] = 1;
  }
  isLive.resize(localValues.size());
  isRun.resize(ops.size());
  wasRun.resize(ops.size());
  isNeeded.resize(storageBytes.size());
  isHere.resize(storageBytes.size());
  lastTouch.resize(storageBytes.size());
  findUseful();
}

/// Collects in `missing` the ops that make `value`, of those not yet run.
void ItemSimulator::findMissing(int32_t value) {
  if (isLive[value])
    return;
  isLive[value] = 1;
  int32_t maker = makersOfValues[value];
  if (!isMadeHere(value) || isRun[maker])
    return;
  isRun[maker] = 1;
  missing.push_back(maker);
  for (int32_t input : ops[maker].inputs)
    findMissing(input);
}

/// The storages that are read in the backward pass if nothing is kept.
void ItemSimulator::findUseful() {
  simulate(forced);
  std::vector<char> isUseful(storageBytes.size(), 0);
  auto mark = [&](const LocalOp &op) {
    for (int32_t value : op.inputs)
      isUseful[valueStorages[value]] = 1;
  };
  for (const LocalOp &op : window)
    mark(op);
  for (size_t i = 0; i < ops.size(); ++i)
    if (wasRun[i])
      mark(ops[i]);
  for (size_t s = 0; s < storageBytes.size(); ++s)
    if (isUseful[s] && !forced[s] && static_cast<int32_t>(s) != boundary)
      useful.push_back(s);
  llvm::stable_sort(useful, [&](int32_t a, int32_t b) {
    return storageBytes[a] > storageBytes[b];
  });
}

/// The ops of a forward pass that only makes what is kept and the boundary.
void ItemSimulator::makeForward(const Choice &choice, ItemOption &option) {
  std::fill(isLive.begin(), isLive.end(), 0);
  std::fill(isRun.begin(), isRun.end(), 0);
  missing.clear();
  for (size_t v = 0; v < valueStorages.size(); ++v)
    if (valueStorages[v] == boundary)
      isLive[v] = 1;
  for (size_t v = 0; v < valueStorages.size(); ++v)
    if (choice[valueStorages[v]] == kKeep || valueStorages[v] == outBoundary)
      findMissing(v);
  llvm::sort(missing);
  option.forward = missing;
  for (int32_t op : missing)
    option.forwardSeconds += ops[op].seconds;
}

/// The peak of the whole forward pass, beside what is outside of the item.
int64_t ItemSimulator::getForwardPeak(const Choice &choice,
                                      bool boundaryStays) {
  std::fill(lastTouch.begin(), lastTouch.end(), -1);
  for (size_t i = 0; i < ops.size(); ++i)
    for (int32_t storage : ops[i].touched)
      lastTouch[storage] = i;
  auto stays = [&](int32_t storage) {
    return choice[storage] == kKeep || (storage == boundary && boundaryStays) ||
           storage == outBoundary;
  };
  int64_t live = boundary < 0 ? 0 : storageBytes[boundary], peak = live;
  for (size_t i = 0; i < ops.size(); ++i) {
    for (int32_t storage : ops[i].touched)
      if (makers[storage] == static_cast<int32_t>(i))
        live += storageBytes[storage];
    int64_t now = live + ops[i].workspaceBytes;
    for (const LocalOp::Pair &pair : ops[i].inPlace)
      if (lastTouch[pair.from] == static_cast<int32_t>(i) &&
          !stays(pair.from)) {
        now -= pair.bytes;
        break;
      }
    peak = std::max(peak, now);
    for (int32_t storage : ops[i].touched)
      if (lastTouch[storage] == static_cast<int32_t>(i) && !stays(storage))
        live -= storageBytes[storage];
  }
  return peak;
}

/// The window with the ops to run again put in.
void ItemSimulator::makeBackward(const Choice &choice, ItemOption &option) {
  std::fill(isRun.begin(), isRun.end(), 0);
  for (size_t v = 0; v < valueStorages.size(); ++v)
    isLive[v] =
        choice[valueStorages[v]] == kKeep || valueStorages[v] == boundary;
  option.backward.clear();
  for (size_t t = 0; t < window.size(); ++t) {
    missing.clear();
    for (int32_t value : window[t].inputs)
      findMissing(value);
    llvm::sort(missing);
    for (int32_t op : missing) {
      option.backward.push_back(-1 - op);
      option.againSeconds += ops[op].seconds;
      wasRun[op] = 1;
    }
    for (int32_t value : window[t].outputs)
      isLive[value] = 1;
    option.backward.push_back(t);
    // What is remade for each use does not wait for the next one.
    for (int32_t op : missing)
      for (int32_t value : ops[op].outputs)
        if (choice[valueStorages[value]] == kRemakeEachTime) {
          isLive[value] = 0;
          isRun[op] = 0;
        }
  }
}

/// Where each storage is read last before it is made again, from the end; what
/// the backward pass finds live.
void ItemSimulator::findDrops(const ItemOption &option) {
  drops.clear();
  std::fill(isNeeded.begin(), isNeeded.end(), 0);
  if (isShared && boundary >= 0)
    isNeeded[boundary] = 1;
  for (size_t i = option.backward.size(); i-- > 0;) {
    int32_t code = option.backward[i];
    const LocalOp &op = code < 0 ? ops[-1 - code] : window[code];
    for (int32_t storage : op.touched) {
      if (!isNeeded[storage])
        drops.push_back({static_cast<int32_t>(i), storage});
      isNeeded[storage] = code >= 0 || makers[storage] != -1 - code;
    }
  }
  std::reverse(drops.begin(), drops.end());
  staysIn = boundary >= 0 && isNeeded[boundary];
}

/// The peak of the backward pass beside the base at the window's begin.
int64_t ItemSimulator::getBackwardPeak(const ItemOption &option) {
  int64_t live = 0;
  for (size_t s = 0; s < storageBytes.size(); ++s) {
    isHere[s] = isNeeded[s];
    live += isNeeded[s] ? storageBytes[s] : 0;
  }
  int64_t peak = live;
  size_t t = 0, drop = 0;
  for (size_t i = 0; i < option.backward.size(); ++i) {
    int32_t code = option.backward[i];
    const LocalOp &op = code < 0 ? ops[-1 - code] : window[code];
    for (int32_t storage : op.touched)
      if (!isHere[storage]) {
        isHere[storage] = 1;
        live += storageBytes[storage];
      }
    int64_t now = live;
    if (code < 0)
      now += before[t] + op.workspaceBytes;
    else
      now += during[t++];
    size_t end = drop;
    while (end < drops.size() && drops[end].position == static_cast<int32_t>(i))
      ++end;
    auto isDropped = [&](int32_t storage) {
      return any_of(ArrayRef<Drop>(drops).slice(drop, end - drop),
                    [&](const Drop &at) { return at.storage == storage; });
    };
    for (const LocalOp::Pair &pair : op.inPlace)
      if (isDropped(pair.from)) {
        now -= pair.bytes;
        break;
      }
    peak = std::max(peak, now);
    for (; drop < end; ++drop) {
      isHere[drops[drop].storage] = 0;
      live -= storageBytes[drops[drop].storage];
    }
  }
  return peak;
}

ItemOption ItemSimulator::simulate(const Choice &choice) {
  ItemOption option;
  makeForward(choice, option);
  std::fill(wasRun.begin(), wasRun.end(), 0);
  makeBackward(choice, option);
  findDrops(option);
  option.backwardPeak = getBackwardPeak(option);
  option.keptBytes = staysIn ? storageBytes[boundary] : 0;
  for (size_t s = 0; s < storageBytes.size(); ++s)
    if (isNeeded[s] && static_cast<int32_t>(s) != outBoundary &&
        static_cast<int32_t>(s) != boundary)
      option.keptBytes += storageBytes[s];
  option.forwardPeak = getForwardPeak(choice, staysIn);
  option.holdingPeak =
      staysIn ? option.forwardPeak : getForwardPeak(choice, true);
  return option;
}
