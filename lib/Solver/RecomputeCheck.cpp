//===- RecomputeCheck.cpp - What a schedule must fulfil ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks programs, and replays schedules by the rules in Recompute.h and
// docs/Planner/Recompute.md. Linear in the size of both. Uses nothing of the
// solver, so that it can judge it.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/Recompute.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace nlp::solver;

/// Whether each of `ids` names one of `count` things.
static bool areInRange(ArrayRef<int32_t> ids, size_t count) {
  return all_of(ids, [count](int32_t id) {
    return id >= 0 && static_cast<size_t>(id) < count;
  });
}

/// What is wrong with the values alone.
static std::optional<std::string>
checkValues(const std::vector<ProgramValue> &values) {
  __int128 sum = 0;
  for (size_t v = 0; v < values.size(); ++v) {
    std::string name = "value " + std::to_string(v) + ": ";
    if (values[v].bytes < 0)
      return name + "expected a size of 0 or more, but got " +
             std::to_string(values[v].bytes);
    sum += values[v].bytes;
    if (!values[v].aliasOf)
      continue;
    if (!areInRange(*values[v].aliasOf, values.size()))
      return name + "expected bytes of another value, but there is no value " +
             std::to_string(*values[v].aliasOf);
    // A chain of aliases that does not end is longer than all values are many.
    size_t steps = 0;
    for (std::optional<int32_t> next = values[v].aliasOf; next; ++steps) {
      if (steps > values.size())
        return name + "expected bytes of another value, but its aliases form "
                      "a circle";
      next = areInRange(*next, values.size()) ? values[*next].aliasOf
                                              : std::nullopt;
    }
  }
  if (sum > INT64_MAX / 4)
    return "expected sizes whose sum is below 2^61 bytes";
  return std::nullopt;
}

/// What is wrong with the numbers of one op.
static std::optional<std::string> checkOp(const ProgramOp &op, size_t values) {
  if (!std::isfinite(op.seconds) || op.seconds < 0)
    return "expected a time of 0 or more, but got " +
           std::to_string(op.seconds);
  if (op.workspaceBytes < 0 || op.workspaceBytes > INT64_MAX / 4)
    return "expected a workspace of 0 to 2^61 bytes, but got " +
           std::to_string(op.workspaceBytes);
  if (!areInRange(op.inputs, values) || !areInRange(op.outputs, values))
    return "expected inputs and outputs that are values of the program";
  for (auto [output, input] : op.inPlace)
    if (!areInRange(output, op.outputs.size()) ||
        !areInRange(input, op.inputs.size()))
      return "expected pairs of an output and an input in `inPlace`";
  return std::nullopt;
}

std::optional<std::string> RecomputeProblem::check() const {
  if (std::optional<std::string> message = checkValues(values))
    return message;
  std::vector<int32_t> producers(values.size(), -1);
  for (size_t i = 0; i < ops.size(); ++i) {
    std::string name = "op " + std::to_string(i) + ": ";
    if (std::optional<std::string> message = checkOp(ops[i], values.size()))
      return name + *message;
    for (int32_t output : ops[i].outputs) {
      if (producers[output] >= 0)
        return name + "expected outputs of its own, but value " +
               std::to_string(output) + " comes from op " +
               std::to_string(producers[output]);
      producers[output] = i;
    }
  }
  for (size_t i = 0; i < ops.size(); ++i)
    for (int32_t input : ops[i].inputs)
      if (producers[input] >= static_cast<int32_t>(i))
        return "op " + std::to_string(i) +
               ": expected inputs of earlier ops, but value " +
               std::to_string(input) + " comes from op " +
               std::to_string(producers[input]);
  for (size_t v = 0; v < values.size(); ++v)
    if (std::optional<int32_t> target = values[v].aliasOf)
      if (producers[*target] > producers[v])
        return "value " + std::to_string(v) +
               ": expected bytes of an earlier value, but value " +
               std::to_string(*target) + " comes later";
  if (!areInRange(results, values.size()))
    return "expected results that are values of the program";
  if (firstFixed < 0 || static_cast<size_t>(firstFixed) > ops.size())
    return "expected a first fixed op from 0 to " + std::to_string(ops.size()) +
           ", but got " + std::to_string(firstFixed);
  return std::nullopt;
}

namespace {
/// The state of a replay: which values and how many bytes are live.
class Machine {
public:
  explicit Machine(const RecomputeProblem &problem);

  /// Runs one op and drops values behind it; what is wrong, or none.
  std::optional<std::string> run(const ScheduledOp &step);
  bool isLive(int32_t value) const { return live[value]; }

  int64_t peakBytes = 0;
  int32_t peakPosition = -1;
  double seconds = 0;

private:
  int64_t getTakenOver(const ProgramOp &op, ArrayRef<char> wasLive,
                       ArrayRef<int32_t> dying) const;

  const RecomputeProblem &problem;
  std::vector<int32_t> storages; // of each value
  std::vector<char> live, isConstant;
  std::vector<int32_t> holders; // live values of each storage
  int64_t liveBytes = 0;
  int32_t position = 0;
};
} // namespace

Machine::Machine(const RecomputeProblem &problem) : problem(problem) {
  size_t count = problem.values.size();
  storages.resize(count);
  live.assign(count, 0);
  isConstant.assign(count, 1);
  holders.assign(count, 0);
  for (const ProgramOp &op : problem.ops)
    for (int32_t output : op.outputs)
      isConstant[output] = 0;
  for (size_t v = 0; v < count; ++v) {
    storages[v] = v;
    while (std::optional<int32_t> next = problem.values[storages[v]].aliasOf)
      storages[v] = *next;
    if (!isConstant[v])
      continue;
    live[v] = 1;
    if (holders[storages[v]]++ == 0)
      liveBytes += problem.values[storages[v]].bytes;
  }
  peakBytes = liveBytes;
}

/// The bytes of outputs that lie in those of inputs that die with the op.
int64_t Machine::getTakenOver(const ProgramOp &op, ArrayRef<char> wasLive,
                              ArrayRef<int32_t> dying) const {
  int64_t bytes = 0;
  SmallVector<int32_t, 2> taken, placed;
  for (auto [output, input] : op.inPlace) {
    int32_t from = storages[op.inputs[input]];
    int32_t to = storages[op.outputs[output]];
    if (from == to || wasLive[output] || is_contained(taken, from) ||
        is_contained(placed, to))
      continue;
    // All that holds the storage dies here.
    int32_t left = holders[from];
    for (int32_t value : dying)
      left -= storages[value] == from;
    if (left > 0)
      continue;
    taken.push_back(from);
    placed.push_back(to);
    bytes += std::min(problem.values[from].bytes, problem.values[to].bytes);
  }
  return bytes;
}

std::optional<std::string> Machine::run(const ScheduledOp &step) {
  const ProgramOp &op = problem.ops[step.op];
  for (int32_t input : op.inputs)
    if (!live[input])
      return "expected input " + std::to_string(input) + " to be live";
  SmallVector<char, 4> wasLive;
  for (int32_t output : op.outputs)
    wasLive.push_back(holders[storages[output]] > 0);
  for (int32_t output : op.outputs) {
    if (live[output])
      continue;
    live[output] = 1;
    if (holders[storages[output]]++ == 0)
      liveBytes += problem.values[storages[output]].bytes;
  }
  for (size_t i = 0; i < step.freeAfter.size(); ++i) {
    int32_t value = step.freeAfter[i];
    if (!areInRange(value, live.size()) || !live[value] || isConstant[value] ||
        is_contained(ArrayRef<int32_t>(step.freeAfter).take_front(i), value))
      return "expected live values in `free_after`, each once and no "
             "constants, but got " +
             std::to_string(value);
  }
  int64_t bytes =
      liveBytes + op.workspaceBytes - getTakenOver(op, wasLive, step.freeAfter);
  if (bytes > peakBytes || peakPosition < 0) {
    peakBytes = std::max(peakBytes, bytes);
    peakPosition = position;
  }
  for (int32_t value : step.freeAfter) {
    live[value] = 0;
    if (--holders[storages[value]] == 0)
      liveBytes -= problem.values[storages[value]].bytes;
  }
  seconds += op.seconds;
  ++position;
  return std::nullopt;
}

std::optional<std::string>
RecomputeSolution::verify(const RecomputeProblem &problem) const {
  Machine machine(problem);
  std::vector<int32_t> runs(problem.ops.size(), 0);
  int32_t lastFixed = -1;
  for (size_t i = 0; i < schedule.size(); ++i) {
    const ScheduledOp &step = schedule[i];
    std::string name = "execution " + std::to_string(i) + ": ";
    if (!areInRange(step.op, problem.ops.size()))
      return name + "expected an op of the program, but got " +
             std::to_string(step.op);
    bool isFixed =
        step.op >= problem.firstFixed || !problem.ops[step.op].canRepeat;
    if (isFixed && step.op <= lastFixed)
      return name + "expected op " + std::to_string(step.op) +
             " once and before op " + std::to_string(lastFixed);
    if (isFixed)
      lastFixed = step.op;
    ++runs[step.op];
    if (std::optional<std::string> message = machine.run(step))
      return name + "op " + std::to_string(step.op) + ": " + *message;
  }
  for (size_t i = 0; i < runs.size(); ++i)
    if (runs[i] == 0)
      return "expected op " + std::to_string(i) + " to run";
  for (int32_t result : problem.results)
    if (!machine.isLive(result))
      return "expected result " + std::to_string(result) +
             " to be live at the end";
  if (machine.peakBytes != peakBytes)
    return "expected a peak of " + std::to_string(machine.peakBytes) +
           " bytes, but got " + std::to_string(peakBytes);
  // Sums in another order differ by rounding.
  if (std::abs(machine.seconds - seconds) > 1e-9 * machine.seconds)
    return "expected " + std::to_string(machine.seconds) +
           " seconds, but got " + std::to_string(seconds);
  return std::nullopt;
}
