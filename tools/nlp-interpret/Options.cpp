//===- Options.cpp - What the interpreter is told ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "nlp/Support/Escape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <CLI/CLI.hpp>

using namespace nlp;
using namespace nlp::ref;

static constexpr int exitUsage = 2;

/// Reads "EPS,RTOL,N", of which later parts may be left out.
static bool parseCheck(llvm::StringRef text, GradientCheckOptions &check) {
  auto [step, rest] = text.split(',');
  auto [tolerance, elements] = rest.split(',');
  auto read = [](llvm::StringRef part, double &value) {
    return part.empty() || (llvm::to_float(part, value) && value > 0.0);
  };
  return read(step, check.stepSize) && read(tolerance, check.tolerance) &&
         (elements.empty() || llvm::to_integer(elements, check.elements)) &&
         check.elements >= 0;
}

template <typename T>
static CLI::Validator oneOf(std::map<std::string, T> values) {
  return CLI::CheckedTransformer(std::move(values)).description("");
}

static void addOptions(CLI::App &app, InterpretOptions &options) {
  RunOptions &run = options.run;
  Hyperparameters &hyper = run.hyper;
  auto add = [&](const char *name, auto &value, const char *text) {
    return app.add_option(name, value, text)->option_text(" ");
  };
  add("MODULE", options.module, "an .mlir file of any nlp phase, - for stdin")
      ->required();
  add("--data", run.data, "16-bit tokens (.bin) or text [random tokens]");
  add("--weights", run.weights, "start from this .safetensors");
  add("--steps", run.steps, "[1]")->check(CLI::PositiveNumber);
  add("--seed", run.seed, "of weights, dropout and random tokens [1]");
  add("--lr", hyper.learningRate, "peak learning rate [3e-4]");
  add("--warmup", run.warmup, "steps [a twentieth, <= 2000]");
  add("--schedule", run.schedule, "cosine|linear|constant|wsd [cosine]")
      ->transform(
          oneOf<ScheduleKind>({{"cosine", ScheduleKind::Cosine},
                               {"linear", ScheduleKind::Linear},
                               {"constant", ScheduleKind::Constant},
                               {"wsd", ScheduleKind::WarmupStableDecay}}));
  add("--weight-decay", hyper.weightDecay, "[0.1]");
  add("--beta1", hyper.beta1, "AdamW [0.9]");
  add("--beta2", hyper.beta2, "AdamW [0.95]");
  add("--eps", hyper.epsilon, "AdamW [1e-8]");
  add("--momentum", hyper.momentum, "SGD [0.9]");
  add("--max-grad-norm", hyper.maxGradNorm, "clip the gradient [1.0]");
  add("--ignore-every", run.ignoreEvery, "this many targets ignore one [0]");
  add("--round", run.rounding,
      "none|narrow|all: types that results are rounded to [narrow: 16 bits]")
      ->transform(oneOf<Rounding>({{"none", Rounding::None},
                                   {"narrow", Rounding::Narrow},
                                   {"all", Rounding::All}}));
  add("--metrics", options.metrics, "a JSON line per step");
  add("--save", options.save, "write the final parameters (.safetensors)");
  add("--save-gradients", options.saveGradients,
      "write the first step's gradients (.safetensors)");
  add("--compare", options.compare,
      "run this module on the same data too; exit 1 where it differs");
  add("--rtol", options.tolerance, "of --compare; 0: the same bits [0]")
      ->check(CLI::NonNegativeNumber);
}

std::optional<int> nlp::parseOptions(int argc, char **argv,
                                     InterpretOptions &options) {
  CLI::App app("Runs a module step by step in double precision: slow, and "
               "right.",
               "nlp-interpret");
  app.set_version_flag("--version", "nlp-interpret (nlp-opt " NLP_VERSION ")");
  app.get_formatter()->column_width(24);
  addOptions(app, options);
  app.add_flag("--evaluate", options.run.evaluate,
               "run the evaluate segment on each batch instead of training");
  std::string check;
  app.add_flag("--check-gradients", check,
               "=EPS,RTOL,N: compare gradients with differences of the loss "
               "[1e-3,1e-6,4]");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::Error &error) {
    llvm::errs() << "nlp-interpret: error: " << escapeLines(error.what())
                 << "\n";
    return exitUsage;
  }
  if (check.empty())
    return std::nullopt;
  options.check.emplace();
  options.run.rounding = Rounding::None;
  if (check != "true" && !parseCheck(check, *options.check)) {
    llvm::errs() << "nlp-interpret: error: --check-gradients: expected "
                    "EPS,RTOL,N, but got '"
                 << check << "'\n";
    return exitUsage;
  }
  return std::nullopt;
}
