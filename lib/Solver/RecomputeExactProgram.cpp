//===- RecomputeExactProgram.cpp - A program as bit masks -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a program into masks. An op needs a bit of its own to show that it has
// run only where no result depends on it and no other op reads what it makes:
// any other op has run when those have.
//
//===----------------------------------------------------------------------===//

#include "RecomputeExactImpl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;
using namespace nlp::solver;

/// A power of two that a tick is long: all ops once take some 2^44 ticks.
static double getTickSeconds(double total) {
  return total > 0 ? std::ldexp(1.0, std::max(std::ilogb(total) - 44, -1000))
                   : 1;
}

/// Adds `storage` unless it is none or there already.
static void addStorage(SmallVectorImpl<int32_t> &list, int32_t storage) {
  if (storage >= 0 && !is_contained(list, storage))
    list.push_back(storage);
}

/// Gives a bit of `ExactState::done` to each op that needs one; false where
/// there are too few.
static bool addDoneBits(ExactProgram &program, ValueMask read) {
  int count = 0;
  for (ExactOp &op : program.ops) {
    if (op.onceRank >= 0 || (op.outputs & read))
      continue;
    if (count == ExactProgram::positionShift)
      return false;
    op.doneBit = uint64_t(1) << count++;
    program.allDone |= op.doneBit;
  }
  return true;
}

std::optional<ExactProgram> ExactProgram::create(const RecomputeProgram &from) {
  const RecomputeProblem &problem = from.problem;
  ExactProgram program;
  program.tickSeconds = getTickSeconds(from.onceSeconds);
  program.constantBytes = from.constantBytes;
  std::vector<int32_t> bits(problem.values.size(), -1);
  for (auto [i, op] : enumerate(problem.ops))
    for (int32_t output : op.outputs) {
      bits[output] = static_cast<int32_t>(program.producers.size());
      program.producers.push_back(static_cast<int32_t>(i));
    }
  if (problem.ops.size() > 64 || program.producers.size() > 64)
    return std::nullopt;
  auto getBit = [&](int32_t value) {
    return bits[value] < 0 ? 0 : ValueMask(1) << bits[value];
  };

  // What takes no bytes needs no storage: it is never dropped.
  std::vector<int32_t> storageOf(problem.values.size(), -1);
  for (size_t v = 0; v < problem.values.size(); ++v) {
    int32_t root = from.storages[v];
    if (bits[v] < 0 || from.getBytes(root) == 0)
      continue;
    if (storageOf[root] < 0) {
      storageOf[root] = static_cast<int32_t>(program.storages.size());
      program.storages.push_back({0, from.getBytes(root)});
    }
    storageOf[v] = storageOf[root];
    program.storages[storageOf[v]].values |= getBit(static_cast<int32_t>(v));
  }

  for (int32_t result : problem.results)
    program.results |= getBit(result);
  ValueMask read = program.results;
  for (auto [i, source] : enumerate(problem.ops)) {
    ExactOp op;
    op.ticks = static_cast<int64_t>(source.seconds / program.tickSeconds);
    op.workspaceBytes = source.workspaceBytes;
    for (int32_t input : source.inputs) {
      op.inputs |= getBit(input);
      addStorage(op.inputStorages, storageOf[input]);
    }
    for (int32_t output : source.outputs) {
      op.outputs |= getBit(output);
      addStorage(op.outputStorages, storageOf[output]);
    }
    for (auto [output, input] : source.inPlace) {
      int32_t to = storageOf[source.outputs[output]];
      int32_t taken = storageOf[source.inputs[input]];
      if (to >= 0 && taken >= 0 && to != taken)
        op.inPlace.emplace_back(to, taken);
    }
    if (op.inPlace.size() > maxInPlace)
      return std::nullopt;
    if (from.isFixed(static_cast<int32_t>(i))) {
      op.onceRank = static_cast<int32_t>(program.onceOps.size());
      program.onceOps.push_back(static_cast<int32_t>(i));
    }
    read |= op.inputs;
    program.ops.push_back(op);
  }
  if (!addDoneBits(program, read))
    return std::nullopt;
  return program;
}

int64_t ExactProgram::getRemainingTicks(const ExactState &state,
                                        OpMask &opsLeft) const {
  opsLeft = 0;
  int64_t ticks = 0;
  ValueMask missing = results & ~state.live;
  auto addOp = [&](int32_t index) {
    opsLeft |= OpMask(1) << index;
    ticks += ops[index].ticks;
    missing |= ops[index].inputs & ~state.live;
  };
  for (size_t rank = getPosition(state); rank < onceOps.size(); ++rank)
    addOp(onceOps[rank]);
  if (uint64_t undone = allDone & ~state.done)
    for (size_t i = 0; i < ops.size(); ++i)
      if (ops[i].doneBit & undone)
        addOp(static_cast<int32_t>(i));
  while (missing) {
    int32_t producer = producers[countr_zero(missing)];
    missing &= ~ops[producer].outputs;
    if (opsLeft >> producer & 1)
      continue;
    // One that has yet to run would be in `opsLeft`.
    if (ops[producer].onceRank >= 0)
      return infiniteTicks;
    addOp(producer);
  }
  return ticks;
}

ValueMask ExactProgram::getUseful(const ExactState &state) const {
  int position = getPosition(state);
  ValueMask useful = results;
  for (const ExactOp &op : llvm::reverse(ops))
    if (op.onceRank >= 0 ? op.onceRank >= position
                         : (op.doneBit & ~state.done) || (op.outputs & useful))
      useful |= op.inputs;
  return useful;
}
