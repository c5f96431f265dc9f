//===- RecomputeBench.cpp - Plans against their bounds ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints, for training steps of several models, what keeping within a share of
// the keep-everything peak costs, and what it must cost. Shares are of the
// bytes above the model state; costs in percent of the step without
// recomputation. Run by scripts/bench/recompute.sh.
//
//===----------------------------------------------------------------------===//

#include "TrainingSteps.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

using namespace nlp::solver;
using namespace nlp::test;

/// Processor time: other work on the machine does not count.
static double getSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

static void bench(const char *name, const StepShape &shape) {
  RecomputeProblem problem = makeTrainingStep(shape);
  if (auto message = problem.check()) {
    std::printf("%s: %s\n", name, message->c_str());
    return;
  }
  double once = 0;
  for (const ProgramOp &op : problem.ops)
    once += op.seconds;
  int64_t state = problem.values[0].bytes;
  double start = getSeconds();
  RecomputeFrontier frontier = computeFrontier(problem);
  double frontierSeconds = getSeconds() - start;
  double room = frontier.keepEverythingBytes - state;
  std::printf("%s: %zu ops, keep-everything %.0f MB above the state, floor "
              "%.2f %%, smallest %.2f %%, frontier of %zu in %.3f s\n",
              name, problem.ops.size(), room / 1e6,
              100 * (frontier.floorBytes - state) / room,
              frontier.points.empty()
                  ? 0
                  : 100 * (frontier.points.front().peakBytes - state) / room,
              frontier.points.size(), frontierSeconds);
  for (int share :
       {90, 80, 70, 60, 50, 40, 30, 25, 20, 15, 12, 10, 8, 7, 6, 5}) {
    int64_t budget = state + static_cast<int64_t>(room * share / 100);
    start = getSeconds();
    RecomputeSolution solution = solveRecompute(problem, budget);
    double seconds = getSeconds() - start;
    start = getSeconds();
    RecomputeBound bound = boundRecompute(problem, budget);
    double boundSeconds = getSeconds() - start;
    std::string fault = solution.verify(problem).value_or("");
    if (solution.feasible && solution.peakBytes > budget)
      fault = "above the budget";
    double plan = 100 * (solution.seconds / once - 1);
    double least = 100 * (bound.seconds / once - 1);
    if (solution.feasible)
      std::printf("  %3d %%  plan %7.3f  bound %7.3f  gap %6.3f", share, plan,
                  least, 100 * (solution.seconds / bound.seconds - 1));
    else
      std::printf("  %3d %%  none (%.2f %%), bound %7.3f", share,
                  100 * (solution.peakBytes - state) / room, least);
    std::printf("  peak %6.2f %%  %.3f s, bound %.3f s %s\n",
                100 * (solution.peakBytes - state) / room, seconds,
                boundSeconds, fault.c_str());
  }
}

int main(int argc, char **argv) {
  auto run = [&](const char *name, const StepShape &shape) {
    if (argc < 2 || std::strstr(name, argv[1]))
      bench(name, shape);
  };
  run("gpt2-cpu", onCpu(getGpt2()));
  run("gpt2", getGpt2());
  StepShape whole = getGpt2();
  whole.headChunks = 0;
  run("gpt2-whole-head", whole);
  run("llama", getLlama());
  StepShape deep = getLlama();
  deep.layers = 96;
  run("llama-96", deep);
  run("gpt3", getGpt3());
  return 0;
}
