//===- nlp-solve.cpp - One solver on one instance file ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a solver of lib/Solver alone, for comparison with other work. The work
// is counted, so that a result does not depend on the machine, unless
// --time-limit says how long it may take.
//
//===----------------------------------------------------------------------===//

#include "PackInstance.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <chrono>
#include <unistd.h>

using namespace nlp;
using Clock = std::chrono::steady_clock;

namespace {
struct PackArguments {
  std::string instance, output, capacity;
  double timeLimit = 0;
};
} // namespace

static int fail(llvm::Error error, int code = 1) {
  llvm::errs() << "nlp-solve: error: " << llvm::toString(std::move(error))
               << "\n";
  return code;
}

static double getSecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The work that `arguments` allow, with a line of progress on a terminal.
static solver::PackingOptions getOptions(const PackArguments &arguments,
                                         Clock::time_point start) {
  solver::PackingOptions options;
  options.improveWork = 1'000'000'000;
  options.searchWork = 20'000'000'000;
  // Work that fits the time, so that each stage gets its share of it; the clock
  // stops what is left.
  if (arguments.timeLimit > 0) {
    options.improveWork = static_cast<int64_t>(arguments.timeLimit * 1e7);
    options.searchWork = static_cast<int64_t>(arguments.timeLimit * 4e8);
  }
  bool isTerminal = isatty(STDERR_FILENO);
  options.shouldStop = [=, shown = 1]() mutable {
    double seconds = getSecondsSince(start);
    if (isTerminal && seconds >= shown + 1) {
      shown = static_cast<int>(seconds);
      llvm::errs() << "\rnlp-solve: searching, " << shown << " s ";
    }
    return arguments.timeLimit > 0 && seconds >= arguments.timeLimit;
  };
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

static int pack(const PackArguments &arguments) {
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

  Clock::time_point start = Clock::now();
  solver::PackingSolution solution =
      solver::packArena(problem, getOptions(arguments, start));
  double seconds = getSecondsSince(start);
  if (isatty(STDERR_FILENO) && seconds >= 2)
    llvm::errs() << "\r\33[K";
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

int main(int argc, char **argv) {
  CLI::App app("Runs one solver on one instance file.", "nlp-solve");
  app.set_version_flag("--version", "nlp-solve " NLP_VERSION);
  app.require_subcommand(1);

  PackArguments arguments;
  CLI::App *packCommand = app.add_subcommand(
      "pack", "Packs buffers with known lifetimes into one arena.");
  packCommand
      ->add_option("INSTANCE", arguments.instance,
                   "table with the columns id, lower, upper, size and "
                   "optionally alignment and offset (fixed)")
      ->required();
  packCommand->add_option("--capacity", arguments.capacity,
                          "size that is small enough, such as 1MiB");
  packCommand
      ->add_option("--time-limit", arguments.timeLimit,
                   "seconds; without it the work is counted, so that the "
                   "result is the same on every machine")
      ->check(CLI::Range(1e-3, 1e9));
  packCommand->add_option("-o", arguments.output,
                          "table with the column offset added");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    llvm::errs() << "nlp-solve: error: " << error.what() << "\n";
    return 2;
  }
  return pack(arguments);
}
