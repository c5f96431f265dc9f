//===- RandomPrograms.cpp - Small programs by chance ------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times are whole numbers, so that sums are exact in any order.
//
//===----------------------------------------------------------------------===//

#include "RandomPrograms.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <functional>

using namespace llvm;
using namespace nlp::solver;
using namespace nlp::test;

static int32_t addValue(RecomputeProblem &problem, int64_t bytes) {
  problem.values.push_back({bytes, {}});
  return problem.values.size() - 1;
}

RecomputeProblem nlp::test::makeRandomProgram(Random &random, int32_t ops,
                                              bool isFixed) {
  RecomputeProblem problem;
  int64_t constants = draw(random, 1, 2);
  for (int64_t i = 0; i < constants; ++i)
    addValue(problem, draw(random, 0, 5));
  for (int32_t i = 0; i < ops; ++i) {
    ProgramOp op;
    op.seconds = draw(random, 0, 9);
    int32_t known = problem.values.size();
    for (int64_t k = draw(random, 1, 3); k > 0; --k) {
      // Near values more often than far ones.
      int32_t reach = draw(random, 0, 2) > 0 ? std::min(known, 6) : known;
      int32_t input = known - 1 - draw(random, 0, reach - 1);
      if (!is_contained(op.inputs, input))
        op.inputs.push_back(input);
    }
    int32_t output = addValue(problem, draw(random, 1, 20));
    op.outputs.push_back(output);
    int64_t kind = draw(random, 0, 9);
    if (kind == 0)
      problem.values[output].aliasOf = op.inputs[0];
    if (kind == 1)
      op.inPlace.push_back({0, 0});
    if (kind == 2)
      op.workspaceBytes = draw(random, 1, 10);
    if (kind == 3)
      op.outputs.push_back(addValue(problem, draw(random, 1, 4)));
    op.canRepeat = kind != 4;
    problem.ops.push_back(op);
  }
  problem.firstFixed = isFixed ? ops / 2 : ops;
  problem.results.push_back(problem.values.size() - 1);
  if (draw(random, 0, 1))
    problem.results.push_back(draw(random, 0, problem.values.size() - 1));
  return problem;
}

RecomputeProblem nlp::test::makeRandomChain(Random &random, int32_t layers,
                                            bool areAlike, bool hasInputs) {
  RecomputeProblem problem;
  int32_t weights = addValue(problem, 10);
  int32_t x = addValue(problem, 4);
  // Inputs of the step, read here and there.
  SmallVector<int32_t, 2> inputs;
  if (hasInputs) {
    inputs = {addValue(problem, draw(random, 1, 6)),
              addValue(problem, draw(random, 1, 6))};
    ProgramOp &op = problem.ops.emplace_back();
    op.outputs.assign(inputs.begin(), inputs.end());
    op.canRepeat = false;
  }
  auto addReads = [&](Random &own, ProgramOp &op) {
    for (int32_t input : inputs)
      if (draw(own, 0, 3) == 0)
        op.inputs.push_back(input);
  };
  struct Layer {
    int32_t first, count;
  };
  std::vector<Layer> made;
  uint64_t seed = random();
  for (int32_t l = 0; l < layers; ++l) {
    Random own(areAlike ? seed : seed + l);
    // Access to a parameter: no bytes, and not to be had again.
    if (hasInputs) {
      ProgramOp &op = problem.ops.emplace_back();
      op.outputs.push_back(addValue(problem, 0));
      op.canRepeat = false;
    }
    int32_t input = x, first = problem.values.size();
    int32_t count = draw(own, 2, 6);
    for (int32_t i = 0; i < count; ++i) {
      ProgramOp op;
      op.seconds = draw(own, 1, 9);
      // The value before and perhaps one from further back in the layer.
      op.inputs.push_back(x);
      op.inputs.push_back(weights);
      int32_t back = i == 0 ? input : first + draw(own, 0, i - 1);
      if (back != x && (i + 1 == count || draw(own, 0, 1)))
        op.inputs.push_back(i + 1 == count ? input : back);
      addReads(own, op);
      x = addValue(problem, draw(own, 2, 12));
      op.outputs.push_back(x);
      if (draw(own, 0, 3) == 0)
        op.inPlace.push_back({0, 0});
      if (draw(own, 0, 5) == 0)
        op.workspaceBytes = draw(own, 1, 8);
      problem.ops.push_back(op);
    }
    problem.values[x].bytes = 4;
    made.push_back({first, count});
  }
  problem.firstFixed = problem.ops.size();
  int32_t gradient = -1;
  for (size_t l = made.size(); l-- > 0;) {
    Random own(areAlike ? seed + 1000 : seed + 1000 + l);
    for (int32_t i = made[l].count; i-- > 0;) {
      ProgramOp op;
      op.seconds = draw(own, 1, 18);
      if (gradient >= 0)
        op.inputs.push_back(gradient);
      if (draw(own, 0, 3) > 0)
        op.inputs.push_back(made[l].first + i);
      if (i > 0 && draw(own, 0, 1))
        op.inputs.push_back(made[l].first + draw(own, 0, i - 1));
      addReads(own, op);
      gradient = addValue(problem, draw(own, 2, 8));
      op.outputs.push_back(gradient);
      problem.ops.push_back(op);
    }
  }
  problem.results.push_back(gradient);
  return problem;
}

RecomputeSolution
nlp::test::makeRandomSchedule(Random &random, const RecomputeProblem &problem) {
  size_t count = problem.values.size();
  std::vector<int32_t> producers(count, -1), order;
  for (size_t i = 0; i < problem.ops.size(); ++i)
    for (int32_t output : problem.ops[i].outputs)
      producers[output] = i;
  auto canRepeat = [&](int32_t op) {
    return op < problem.firstFixed && problem.ops[op].canRepeat;
  };
  // Which values are there; those under way may not be dropped.
  std::vector<char> isThere(count, 0);
  std::vector<int32_t> held(count, 0);
  for (size_t v = 0; v < count; ++v)
    isThere[v] = producers[v] < 0;
  int64_t drops = draw(random, 0, 9);
  std::function<void(int32_t)> run = [&](int32_t op) {
    for (int32_t input : problem.ops[op].inputs)
      ++held[input];
    for (int32_t input : problem.ops[op].inputs)
      if (!isThere[input])
        run(producers[input]);
    order.push_back(op);
    for (int32_t output : problem.ops[op].outputs)
      isThere[output] = 1;
    for (int32_t input : problem.ops[op].inputs)
      --held[input];
    for (size_t v = 0; v < count; ++v)
      if (isThere[v] && held[v] == 0 && producers[v] >= 0 &&
          canRepeat(producers[v]) && draw(random, 0, 29) < drops)
        isThere[v] = 0;
  };
  for (size_t i = 0; i < problem.ops.size(); ++i)
    run(i);
  drops = 0;
  for (int32_t result : problem.results)
    if (!isThere[result])
      run(producers[result]);
  // What is dropped is what nobody reads before it is made again.
  RecomputeSolution solution;
  solution.feasible = true;
  std::vector<char> isRead(count, 0);
  for (int32_t result : problem.results)
    isRead[result] = 1;
  for (size_t i = order.size(); i-- > 0;) {
    ScheduledOp step{order[i], {}};
    for (int32_t output : problem.ops[order[i]].outputs) {
      if (!isRead[output])
        step.freeAfter.push_back(output);
      isRead[output] = 0;
    }
    for (int32_t input : problem.ops[order[i]].inputs) {
      if (!isRead[input] && producers[input] >= 0)
        step.freeAfter.push_back(input);
      isRead[input] = 1;
    }
    solution.schedule.push_back(step);
    solution.seconds += problem.ops[order[i]].seconds;
  }
  std::reverse(solution.schedule.begin(), solution.schedule.end());
  // The checker knows the peak.
  solution.peakBytes = -1;
  std::string message = *solution.verify(problem);
  [[maybe_unused]] int read = std::sscanf(
      message.c_str(), "expected a peak of %ld", &solution.peakBytes);
  assert(read == 1 && "expected a schedule with nothing wrong but the peak");
  return solution;
}
