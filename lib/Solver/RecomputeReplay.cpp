//===- RecomputeReplay.cpp - What an order costs ----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks up the relations of a program, and replays orders of execution: one
// scan from the end finds where each value is used last, one from the start
// counts the bytes. The solver's own simulator; verify() has another.
//
//===----------------------------------------------------------------------===//

#include "RecomputeImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace nlp::solver;

RecomputeProgram::RecomputeProgram(const RecomputeProblem &problem)
    : problem(problem) {
  size_t count = problem.values.size();
  producers.assign(count, -1);
  storages.resize(count);
  storageBytes.resize(count);
  isResult.assign(count, 0);
  users.resize(count);
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    onceSeconds += problem.ops[i].seconds;
    for (int32_t output : problem.ops[i].outputs)
      producers[output] = i;
    for (int32_t input : problem.ops[i].inputs)
      if (users[input].empty() ||
          users[input].back() != static_cast<int32_t>(i))
        users[input].push_back(i);
  }
  for (int32_t result : problem.results)
    isResult[result] = 1;
  // A value that lies in a constant takes no bytes of its own.
  std::vector<char> holdsConstant(count, 0);
  for (size_t v = 0; v < count; ++v) {
    int32_t root = v;
    while (std::optional<int32_t> next = problem.values[root].aliasOf)
      root = *next;
    storages[v] = root;
    if (producers[v] < 0 && !holdsConstant[root]) {
      holdsConstant[root] = 1;
      constantBytes += problem.values[root].bytes;
    }
  }
  for (size_t v = 0; v < count; ++v)
    storageBytes[v] =
        holdsConstant[storages[v]] ? 0 : problem.values[storages[v]].bytes;
  canRebuild.assign(count, 1);
  for (size_t v = 0; v < count; ++v)
    if (storages[v] != static_cast<int32_t>(v) && producers[v] >= 0 &&
        none_of(problem.ops[producers[v]].inputs,
                [&](int32_t input) { return storages[input] == storages[v]; }))
      canRebuild[storages[v]] = 0;
  canDrop = canRebuild;
  for (size_t v = 0; v < count; ++v)
    if (producers[v] < 0 || isFixed(producers[v]))
      canDrop[storages[v]] = 0;
}

namespace {
/// Where values end: those that are dropped after each position of an order.
struct Drops {
  std::vector<int32_t> begins; // for each position, and the end
  std::vector<int32_t> values;

  ArrayRef<int32_t> at(size_t position) const {
    return ArrayRef(values).slice(begins[position],
                                  begins[position + 1] - begins[position]);
  }
};
} // namespace

/// Scans `order` from its end.
static Drops findDrops(const RecomputeProgram &program,
                       ArrayRef<int32_t> order) {
  std::vector<char> isNeeded(program.isResult.begin(), program.isResult.end());
  Drops drops;
  drops.begins.resize(order.size() + 1);
  for (size_t i = order.size(); i-- > 0;) {
    const ProgramOp &op = program.getOp(order[i]);
    drops.begins[i + 1] = drops.values.size();
    for (int32_t output : op.outputs) {
      if (!isNeeded[output])
        drops.values.push_back(output);
      isNeeded[output] = 0;
    }
    for (int32_t input : op.inputs) {
      if (program.isConstant(input) || isNeeded[input])
        continue;
      isNeeded[input] = 1;
      drops.values.push_back(input);
    }
  }
  // The values stand from the end; turn them around.
  drops.begins[0] = drops.values.size();
  int32_t total = drops.values.size();
  std::reverse(drops.values.begin(), drops.values.end());
  for (int32_t &begin : drops.begins)
    begin = total - begin;
  return drops;
}

/// The bytes of outputs that take over those of inputs that die with the op.
static int64_t getTakenOver(const RecomputeProgram &program,
                            const ProgramOp &op, ArrayRef<char> isNew,
                            ArrayRef<int32_t> dying,
                            ArrayRef<int32_t> holders) {
  int64_t bytes = 0;
  SmallVector<int32_t, 2> taken, placed;
  for (auto [output, input] : op.inPlace) {
    int32_t from = program.storages[op.inputs[input]];
    int32_t to = program.storages[op.outputs[output]];
    if (from == to || !isNew[output] || is_contained(taken, from) ||
        is_contained(placed, to) || program.isConstant(op.inputs[input]))
      continue;
    int32_t left = holders[from];
    for (int32_t value : dying)
      left -= program.storages[value] == from;
    if (left > 0)
      continue;
    taken.push_back(from);
    placed.push_back(to);
    bytes += std::min(program.getBytes(from), program.getBytes(to));
  }
  return bytes;
}

Replay nlp::solver::replayOrder(const RecomputeProgram &program,
                                ArrayRef<int32_t> order,
                                std::vector<ScheduledOp> *schedule,
                                std::vector<int64_t> *liveBytes,
                                std::vector<int64_t> *bytesBefore) {
  Drops drops = findDrops(program, order);
  std::vector<char> isLive(program.getNumValues(), 0);
  std::vector<int32_t> holders(program.getNumValues(), 0);
  if (schedule) {
    schedule->clear();
    schedule->reserve(order.size());
  }
  if (liveBytes)
    liveBytes->resize(order.size());
  if (bytesBefore)
    bytesBefore->resize(order.size() + 1);
  Replay replay;
  replay.peakBytes = program.constantBytes;
  int64_t live = program.constantBytes;
  SmallVector<char, 4> isNew;
  for (size_t i = 0; i < order.size(); ++i) {
    const ProgramOp &op = program.getOp(order[i]);
    if (bytesBefore)
      (*bytesBefore)[i] = live;
    isNew.clear();
    for (int32_t output : op.outputs)
      isNew.push_back(holders[program.storages[output]] == 0);
    for (int32_t output : op.outputs) {
      if (isLive[output])
        continue;
      isLive[output] = 1;
      if (holders[program.storages[output]]++ == 0)
        live += program.getBytes(output);
    }
    int64_t during = live + op.workspaceBytes;
    if (!op.inPlace.empty())
      during -= getTakenOver(program, op, isNew, drops.at(i), holders);
    if (liveBytes)
      (*liveBytes)[i] = during;
    if (during > replay.peakBytes || replay.peakPosition < 0) {
      replay.peakBytes = std::max(replay.peakBytes, during);
      replay.peakPosition = i;
    }
    for (int32_t value : drops.at(i)) {
      isLive[value] = 0;
      if (--holders[program.storages[value]] == 0)
        live -= program.getBytes(value);
    }
    replay.seconds += op.seconds;
    if (schedule) {
      ArrayRef<int32_t> dropped = drops.at(i);
      schedule->push_back({order[i], {dropped.begin(), dropped.end()}});
      llvm::sort(schedule->back().freeAfter);
    }
  }
  if (bytesBefore)
    bytesBefore->back() = live;
  return replay;
}

RecomputeSolution nlp::solver::makeSolution(const RecomputeProgram &program,
                                            ArrayRef<int32_t> order) {
  RecomputeSolution solution;
  Replay replay = replayOrder(program, order, &solution.schedule);
  solution.feasible = true;
  solution.seconds = replay.seconds;
  solution.peakBytes = replay.peakBytes;
  solution.peakPosition = replay.peakPosition;
  return solution;
}
