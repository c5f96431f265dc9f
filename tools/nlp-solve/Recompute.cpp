//===- Recompute.cpp - nlp-solve recompute ----------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work is counted, so that a result does not depend on the machine, unless
// the arguments say how long it may take. What was found is replayed before it
// is written.
//
//===----------------------------------------------------------------------===//

#include "Recompute.h"
#include "Command.h"
#include "RecomputePeak.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;
using namespace nlp;

/// Values that a message about a peak names at most.
static constexpr size_t namedValues = 5;

/// Prints what was asked for and what was found to `out`.
static void report(const RecomputeInstance &instance, int64_t budget,
                   const solver::RecomputeSolution &solution,
                   raw_ostream &out) {
  const solver::RecomputeProblem &problem = instance.problem;
  int64_t keepEverything = findPeak(problem, scheduleAsGiven(problem)).bytes;
  out << "ops              " << problem.ops.size() << "\n"
      << "keep everything  " << keepEverything << "\n"
      << "budget           " << budget << "\n";
  if (!solution.feasible)
    return;
  double bound = solution.bound.seconds;
  double gap = bound > 0 ? (solution.seconds - bound) / bound : 0;
  out << "peak             " << solution.peakBytes << "\n"
      << "executions       " << solution.schedule.size() << "\n"
      << "seconds          " << format("%.9g\n", solution.seconds)
      << "lower bound      " << format("%.9g\n", bound) << "gap              "
      << format("%.4f %%\n", 100 * gap);
}

/// "op 3 ('relu')".
static std::string describeOp(const RecomputeInstance &instance, int32_t op) {
  return "op " + std::to_string(op) + " ('" + instance.opNames[op] + "')";
}

/// What fills the peak of the schedule with the smallest one.
static std::string describePeak(const RecomputeInstance &instance,
                                const solver::RecomputeSolution &solution) {
  Peak peak = findPeak(instance.problem, solution.schedule);
  std::string text;
  raw_string_ostream out(text);
  out << "\n  its peak: " << peak.constantBytes << " of constants";
  if (peak.position < 0)
    return text;
  out << ", " << peak.inputBytes << " of inputs and " << peak.outputBytes
      << " of outputs of "
      << describeOp(instance, solution.schedule[peak.position].op) << ", "
      << peak.heldBytes << " held for later";
  for (size_t i = 0; i < std::min(peak.live.size(), namedValues); ++i) {
    const solver::ProgramValue &value = instance.problem.values[peak.live[i]];
    const solver::ProgramValue &storage =
        value.aliasOf ? instance.problem.values[*value.aliasOf] : value;
    out << (i ? ", " : "; largest: ") << "value " << instance.ids[peak.live[i]]
        << " (" << storage.bytes << ")";
  }
  return text;
}

/// Why no schedule keeps the budget, if that is known.
static std::string describeProof(const RecomputeInstance &instance,
                                 int64_t budget,
                                 const solver::RecomputeSolution &solution) {
  const solver::RecomputeBound &bound = solution.bound;
  if (bound.certificate.op >= 0 && bound.certificate.heldBytes > budget)
    return "\n  proof: whenever " + describeOp(instance, bound.certificate.op) +
           " first runs, at least " +
           std::to_string(bound.certificate.heldBytes) + " bytes are live";
  if (bound.floorBytes > budget || std::isinf(bound.seconds))
    return "\n  proof: every order and every repetition of ops was tried";
  return "\n  whether one exists between the two is not known";
}

static Error makeInfeasible(const RecomputeInstance &instance, int64_t budget,
                            const solver::RecomputeSolution &solution) {
  std::string floor = solution.bound.floorBytes == solution.peakBytes
                          ? "none does with less"
                          : "none does with less than " +
                                std::to_string(solution.bound.floorBytes);
  return makeError("expected a schedule within " + Twine(budget) +
                   " bytes, but the smallest budget known to do is " +
                   Twine(solution.peakBytes) + "; " + floor +
                   describePeak(instance, solution) +
                   describeProof(instance, budget, solution));
}

int nlp::runRecompute(const RecomputeArguments &arguments) {
  Expected<int64_t> budget = parseSize(arguments.budget);
  if (!budget)
    return fail(makeError("--budget: " + toString(budget.takeError())), 2);
  if (*budget == 0)
    return fail(makeError("--budget: expected a size above 0, but got '" +
                          arguments.budget + "'"),
                2);
  Expected<RecomputeInstance> instance =
      readRecomputeInstance(arguments.instance);
  if (!instance)
    return fail(instance.takeError());

  solver::RecomputeSolution solution;
  {
    SearchClock clock(arguments.timeLimit);
    solver::RecomputeOptions options;
    options.shouldStop = clock.getShouldStop();
    if (arguments.noExact)
      options.exactWork = 0;
    solution = solver::solveRecompute(instance->problem, *budget, options);
  }
  if (std::optional<std::string> message = solution.verify(instance->problem))
    return fail(makeError("the schedule is wrong: " + *message));
  // Standard output may be where the schedule goes.
  report(*instance, *budget, solution,
         arguments.output == "-" ? errs() : outs());
  outs().flush();
  if (!solution.feasible)
    return fail(makeInfeasible(*instance, *budget, solution), 3);
  if (arguments.output.empty())
    return 0;
  Error error =
      writeFileAtomically(arguments.output, printSchedule(*instance, solution));
  return error ? fail(std::move(error)) : 0;
}
