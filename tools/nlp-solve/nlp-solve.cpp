//===- nlp-solve.cpp - One solver on one instance file ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a solver of lib/Solver alone, for comparison with other work: from flags
// to one function for each subcommand.
//
//===----------------------------------------------------------------------===//

#include "Pack.h"
#include "Recompute.h"
#include "nlp/Support/Escape.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>

using namespace nlp;

/// Adds the option that ends a search by time.
static void addTimeLimit(CLI::App *command, double &seconds) {
  command
      ->add_option("--time-limit", seconds,
                   "seconds; without it the work is counted, so that the "
                   "result is the same on every machine")
      ->check(CLI::Range(1e-3, 1e9));
}

static CLI::App *addPack(CLI::App &app, PackArguments &arguments) {
  CLI::App *command = app.add_subcommand(
      "pack", "Packs buffers with known lifetimes into one arena.");
  command
      ->add_option("INSTANCE", arguments.instance,
                   "table with the columns id, lower, upper, size and "
                   "optionally alignment and offset (fixed)")
      ->required();
  command->add_option("--capacity", arguments.capacity,
                      "size that is small enough, such as 1MiB");
  addTimeLimit(command, arguments.timeLimit);
  command->add_option("-o", arguments.output,
                      "table with the column offset added");
  return command;
}

static CLI::App *addRecompute(CLI::App &app, RecomputeArguments &arguments) {
  CLI::App *command = app.add_subcommand(
      "recompute",
      "Finds the fastest schedule of a program whose peak is within a budget, "
      "where values may be dropped and computed again.");
  command
      ->add_option("INSTANCE", arguments.instance,
                   "JSON file with constants, ops and results")
      ->required();
  command
      ->add_option("--budget", arguments.budget,
                   "largest sum of live bytes, such as 1.5GiB")
      ->required();
  addTimeLimit(command, arguments.timeLimit);
  command->add_flag("--no-exact", arguments.noExact,
                    "leave out the exact search of small programs");
  command->add_option("-o", arguments.output, "JSON file with the schedule");
  return command;
}

int main(int argc, char **argv) {
  CLI::App app("Runs one solver on one instance file.", "nlp-solve");
  app.set_version_flag("--version", "nlp-solve " NLP_VERSION);
  app.require_subcommand(1);
  PackArguments packArguments;
  RecomputeArguments recomputeArguments;
  CLI::App *pack = addPack(app, packArguments);
  addRecompute(app, recomputeArguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    llvm::errs() << "nlp-solve: error: " << escapeLines(error.what()) << "\n";
    return 2;
  }
  return pack->parsed() ? runPack(packArguments)
                        : runRecompute(recomputeArguments);
}
