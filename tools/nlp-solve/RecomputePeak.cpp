//===- RecomputePeak.cpp - What fills the peak of a schedule -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two replays: the first finds the peak, the second stops there and looks at
// what is live. Linear in the schedule. Programs from files have no workspaces
// and no in-place outputs, so neither counts here.
//
//===----------------------------------------------------------------------===//

#include "RecomputePeak.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace nlp;

namespace {
/// Which values are live, and how many of each storage.
struct Memory {
  explicit Memory(const solver::RecomputeProblem &problem);

  void set(int32_t value, bool live);

  const solver::RecomputeProblem &problem;
  std::vector<int32_t> storages; // of each value
  std::vector<int32_t> holders;  // of each storage
  std::vector<bool> isConstant, isLive;
  int64_t bytes = 0;
};
} // namespace

Memory::Memory(const solver::RecomputeProblem &problem) : problem(problem) {
  size_t count = problem.values.size();
  holders.resize(count);
  isConstant.assign(count, true);
  isLive.resize(count);
  for (size_t v = 0; v < count; ++v) {
    auto storage = static_cast<int32_t>(v);
    while (std::optional<int32_t> next = problem.values[storage].aliasOf)
      storage = *next;
    storages.push_back(storage);
  }
  for (const solver::ProgramOp &op : problem.ops)
    for (int32_t output : op.outputs)
      isConstant[output] = false;
  for (size_t v = 0; v < count; ++v)
    if (isConstant[v])
      set(static_cast<int32_t>(v), true);
}

void Memory::set(int32_t value, bool live) {
  if (isLive[value] == live)
    return;
  isLive[value] = live;
  int32_t storage = storages[value];
  if (holders[storage] == (live ? 0 : 1))
    bytes +=
        live ? problem.values[storage].bytes : -problem.values[storage].bytes;
  holders[storage] += live ? 1 : -1;
}

Peak nlp::findPeak(const solver::RecomputeProblem &problem,
                   const std::vector<solver::ScheduledOp> &schedule) {
  Peak peak;
  auto run = [&](Memory &memory, size_t position) {
    for (int32_t output : problem.ops[schedule[position].op].outputs)
      memory.set(output, true);
  };
  auto drop = [&](Memory &memory, size_t position) {
    for (int32_t value : schedule[position].freeAfter)
      memory.set(value, false);
  };
  Memory memory(problem);
  peak.bytes = memory.bytes;
  for (size_t i = 0; i < schedule.size(); ++i) {
    run(memory, i);
    if (memory.bytes > peak.bytes || peak.position < 0) {
      peak.bytes = memory.bytes;
      peak.position = static_cast<int32_t>(i);
    }
    drop(memory, i);
  }

  Memory atPeak(problem);
  for (int32_t i = 0; i <= peak.position; ++i) {
    run(atPeak, i);
    if (i < peak.position)
      drop(atPeak, i);
  }
  std::vector<bool> isCounted(problem.values.size());
  auto count = [&](int32_t value, int64_t &sum) {
    int32_t storage = atPeak.storages[value];
    if (!atPeak.isLive[value] || isCounted[storage])
      return;
    isCounted[storage] = true;
    sum += problem.values[storage].bytes;
    if (&sum != &peak.constantBytes)
      peak.live.push_back(value);
  };
  for (size_t v = 0; v < problem.values.size(); ++v)
    if (atPeak.isConstant[v])
      count(static_cast<int32_t>(v), peak.constantBytes);
  if (peak.position >= 0) {
    const solver::ProgramOp &op = problem.ops[schedule[peak.position].op];
    for (int32_t input : op.inputs)
      count(input, peak.inputBytes);
    for (int32_t output : op.outputs)
      count(output, peak.outputBytes);
  }
  for (size_t v = 0; v < problem.values.size(); ++v)
    count(static_cast<int32_t>(v), peak.heldBytes);
  llvm::stable_sort(peak.live, [&](int32_t a, int32_t b) {
    return problem.values[atPeak.storages[a]].bytes >
           problem.values[atPeak.storages[b]].bytes;
  });
  return peak;
}

std::vector<solver::ScheduledOp>
nlp::scheduleAsGiven(const solver::RecomputeProblem &problem) {
  std::vector<bool> isDropped(problem.values.size(), true);
  for (const solver::ProgramOp &op : problem.ops)
    for (int32_t output : op.outputs)
      isDropped[output] = false;
  for (int32_t result : problem.results)
    isDropped[result] = true;
  std::vector<solver::ScheduledOp> schedule(problem.ops.size());
  for (size_t i = problem.ops.size(); i-- > 0;) {
    schedule[i].op = static_cast<int32_t>(i);
    const solver::ProgramOp &op = problem.ops[i];
    for (const auto &operands :
         {ArrayRef<int32_t>(op.inputs), ArrayRef<int32_t>(op.outputs)})
      for (int32_t value : operands)
        if (!isDropped[value]) {
          isDropped[value] = true;
          schedule[i].freeAfter.push_back(value);
        }
  }
  return schedule;
}
