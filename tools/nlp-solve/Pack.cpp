//===- Pack.cpp - nlp-solve pack --------------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work is counted, so that a result does not depend on the machine, unless
// the arguments say how long it may take.
//
//===----------------------------------------------------------------------===//

#include "Pack.h"
#include "Command.h"
#include "PackInstance.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace nlp;

/// The work that `arguments` allow.
static solver::PackingOptions getOptions(const PackArguments &arguments,
                                         SearchClock &clock) {
  solver::PackingOptions options;
  options.improveWork = 1'000'000'000;
  options.searchWork = 20'000'000'000;
  // Work that fits the time, so that each stage gets its share of it; the clock
  // stops what is left.
  if (arguments.timeLimit > 0) {
    options.improveWork = static_cast<int64_t>(arguments.timeLimit * 1e7);
    options.searchWork = static_cast<int64_t>(arguments.timeLimit * 4e8);
  }
  options.shouldStop = clock.getShouldStop();
  return options;
}

/// Prints height, bound, gap and time to `out`.
static void report(const solver::PackingProblem &problem,
                   const solver::PackingSolution &solution, double seconds,
                   llvm::raw_ostream &out) {
  int64_t bound = problem.getLowerBound();
  double gap = bound ? static_cast<double>(solution.height - bound) /
                           static_cast<double>(bound)
                     : 0;
  out << "buffers      " << problem.buffers.size() << "\n"
      << "max live     " << problem.getMaxLiveBytes() << "\n"
      << "lower bound  " << bound << "\n"
      << "height       " << solution.height << "\n"
      << "gap          " << llvm::format("%.4f %%\n", 100 * gap)
      << "seconds      " << llvm::format("%.2f\n", seconds);
}

int nlp::runPack(const PackArguments &arguments) {
  llvm::Expected<std::string> text = readFile(arguments.instance, 1 << 30);
  if (!text)
    return fail(text.takeError());
  llvm::Expected<PackInstance> instance =
      readPackInstance(*text, arguments.instance);
  if (!instance)
    return fail(instance.takeError());
  solver::PackingProblem &problem = instance->problem;
  if (!arguments.capacity.empty()) {
    llvm::Expected<int64_t> capacity = parseSize(arguments.capacity);
    if (!capacity)
      return fail(
          makeError("--capacity: " + llvm::toString(capacity.takeError())), 2);
    problem.capacity = *capacity;
  }

  solver::PackingSolution solution;
  double seconds;
  {
    SearchClock clock(arguments.timeLimit);
    solution = solver::packArena(problem, getOptions(arguments, clock));
    seconds = clock.getSeconds();
  }
  // Standard output may be where the table goes.
  report(problem, solution, seconds,
         arguments.output == "-" ? llvm::errs() : llvm::outs());
  if (problem.capacity && solution.height > *problem.capacity)
    return fail(
        makeError("expected a packing in " + llvm::Twine(*problem.capacity) +
                  " bytes, but the smallest found takes " +
                  llvm::Twine(solution.height) + "; none takes less than " +
                  llvm::Twine(problem.getLowerBound())),
        3);
  if (std::optional<std::string> message = solution.verify(problem))
    return fail(makeError("the packing is wrong: " + *message));
  if (arguments.output.empty())
    return 0;
  llvm::outs().flush();
  llvm::Error error =
      writeFileAtomically(arguments.output, printPacking(*instance, solution));
  return error ? fail(std::move(error)) : 0;
}
