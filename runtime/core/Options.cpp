//===- Options.cpp - What a training run is told -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CLI11 does the parsing; here stand names, ranges and the defaults that depend
// on the machine (threads) or on other options (warm-up).
//
//===----------------------------------------------------------------------===//

#include "core/Options.h"
#include "core/Support.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <sched.h>
#include <thread>

namespace nlprt {

/// The number of processors that this process may run on.
static int64_t usableProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(CPU_COUNT(&set), 1);
  return std::max(std::thread::hardware_concurrency(), 1u);
}

/// OMP_NUM_THREADS, or 0 where it says nothing.
static int64_t environmentThreads() {
  const char *text = std::getenv("OMP_NUM_THREADS");
  int64_t wanted = text ? std::strtoll(text, nullptr, 10) : 0;
  return wanted > 0 ? wanted : 0;
}

/// A number from 0 on, finite.
static std::string checkRate(std::string &text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= 0 &&
      value <= std::numeric_limits<double>::max())
    return "";
  return "expected a number that is not negative, but got '" + text + "'";
}

/// Steps, sequences and the like: their products stay below 2^63.
static constexpr int64_t largestCount = 1000000000000000;

/// A whole number from `low` to `high`. CLI11 alone would take what is too
/// large for the largest there is.
static CLI::Validator wholeNumber(int64_t low, int64_t high = largestCount) {
  return CLI::Validator(
      [low, high](std::string &text) -> std::string {
        int64_t value = 0;
        const char *end = text.data() + text.size();
        auto [rest, code] = std::from_chars(text.data(), end, value);
        if (code == std::errc() && rest == end && value >= low && value <= high)
          return "";
        return format("expected a whole number from %lld to %lld, but got '",
                      static_cast<long long>(low),
                      static_cast<long long>(high)) +
               text + "'";
      },
      "");
}

/// Replaces the name of a schedule by its number, which CLI11 reads.
static std::string readSchedule(std::string &text) {
  for (ScheduleKind kind :
       {ScheduleKind::Cosine, ScheduleKind::Linear, ScheduleKind::Constant,
        ScheduleKind::WarmupStableDecay})
    if (text == scheduleName(kind)) {
      text = std::to_string(static_cast<int>(kind));
      return "";
    }
  return "expected cosine, linear, constant or wsd, but got '" + text + "'";
}

static void addOptions(CLI::App &app, Options &options) {
  CLI::Validator natural = wholeNumber(0), rate(checkRate, "");
  CLI::Validator below1 =
      rate & CLI::Validator(
                 [](std::string &text) -> std::string {
                   return std::strtod(text.c_str(), nullptr) < 1
                              ? ""
                              : "expected a number below "
                                "1, but got '" +
                                    text + "'";
                 },
                 "");
  auto add = [&](const char *name, auto &value, const char *text) {
    return app.add_option(name, value, text)->option_text(" ");
  };
  add("--data", options.data, "tokens (.bin, .npy, .bin + .idx) or text");
  add("--weights", options.weights, "start from this .safetensors or folder");
  add("--steps", options.steps, "in all; 0: --eval-data only [1000]")
      ->check(natural);
  add("--lr", options.schedule.peak, "peak learning rate [3e-4]")->check(rate);
  add("--warmup", options.schedule.warmup, "steps [a twentieth, <= 2000]")
      ->check(natural);
  add("--schedule", options.schedule.kind,
      "cosine|linear|constant|wsd [cosine]")
      ->transform(CLI::Validator(readSchedule, ""));
  add("--weight-decay", options.weightDecay, "[0.1]")->check(rate);
  add("--beta1", options.beta1, "AdamW [0.9]")->check(below1);
  add("--beta2", options.beta2, "AdamW [0.95]")->check(below1);
  add("--eps", options.epsilon, "AdamW [1e-8]")->check(rate);
  add("--momentum", options.momentum, "SGD [0.9]")->check(below1);
  add("--max-grad-norm", options.maxGradNorm,
      "clip the gradient; 0: never [1.0]")
      ->check(rate);
  add("--seed", options.seed, "of weights, dropout and order [1]")
      ->check(wholeNumber(INT64_MIN, INT64_MAX));
  app.add_option_function<std::string>(
         "--data-order",
         [&](const std::string &order) {
           options.shuffled = order == "shuffled";
         },
         "sequential|shuffled [sequential]")
      ->check(CLI::IsMember({"sequential", "shuffled"}).description(""))
      ->option_text(" ");
  add("--eval-data", options.evalData, "held-out tokens or text");
  add("--eval-every", options.evalEvery, "steps; 0: at the end only [0]")
      ->check(natural);
  add("--eval-batches", options.evalBatches,
      "of an evaluation; 0: the whole file [0]")
      ->check(natural);
  add("--checkpoint-dir", options.checkpointDir, "keep checkpoints here");
  add("--checkpoint-every", options.checkpointEvery,
      "steps; 0: at the end only [0]")
      ->check(natural);
  app.add_flag("--resume", options.resume, "go on from the newest checkpoint");
  add("--save", options.save, "write the final weights (.safetensors)");
  add("--metrics", options.metrics, "a JSON line per step");
  add("--tensorboard", options.tensorboard,
      "event files for TensorBoard, in this folder");
  add("--trace", options.trace, "Chrome trace of the last calls (.json)");
  add("--threads", options.threads, "[OMP_NUM_THREADS or all processors]")
      ->check(wholeNumber(1));
  app.add_flag("--describe{all}", options.describe,
               "print the plan and stop; =json: as JSON alone")
      ->check(CLI::IsMember({"all", "json"}).description(""));
}

/// What CLI11 cannot see: options that need one another.
static void checkUsage(const Options &options, bool needsData) {
  auto require = [](bool good, const char *message) {
    if (!good)
      throw CLI::ValidationError(message, CLI::ExitCodes::ValidationError);
  };
  bool evaluates = !options.evalData.empty();
  require(!needsData || !options.describe.empty() || !options.data.empty() ||
              (options.steps == 0 && evaluates),
          "expected --data=FILE (or --describe)");
  require(options.steps > 0 || evaluates || !options.save.empty() ||
              !options.describe.empty(),
          "--steps=0 needs --eval-data=FILE or --save=FILE");
  require(!options.resume || !options.checkpointDir.empty(),
          "--resume needs --checkpoint-dir=DIR");
  require(!options.checkpointEvery || !options.checkpointDir.empty(),
          "--checkpoint-every needs --checkpoint-dir=DIR");
  require(!options.evalEvery || !options.evalData.empty(),
          "--eval-every needs --eval-data=FILE");
}

bool usesScalar(const nlprt_program &program, int64_t kind) {
  return std::any_of(program.scalars, program.scalars + program.scalar_count,
                     [&](const nlprt_port &port) { return port.kind == kind; });
}

/// Tells of options that mean something to another optimizer only.
static void warnUnused(const CLI::App &app, const nlprt_program &program,
                       const std::string &name) {
  static constexpr std::pair<const char *, int64_t> options[] = {
      {"--beta1", NLPRT_BETA1},
      {"--beta2", NLPRT_BETA2},
      {"--eps", NLPRT_EPSILON},
      {"--momentum", NLPRT_MOMENTUM},
      {"--weight-decay", NLPRT_WEIGHT_DECAY},
      {"--max-grad-norm", NLPRT_MAX_GRAD_NORM}};
  for (auto [option, kind] : options)
    if (app.count(option) > 0 && !usesScalar(program, kind))
      std::fprintf(stderr,
                   "%s: warning: %s has no effect: the optimizer that was "
                   "compiled in does not use it\n",
                   name.c_str(), option);
}

static std::string nameOf(int argc, char **argv) {
  std::string name = argc > 0 ? argv[0] : "train";
  return name.substr(name.find_last_of('/') + 1);
}

static std::string aboutText(const std::string &model) {
  return "Trains " + model +
         "; exit codes: 0 done, 1 failed, 2 wrong usage, 75 interrupted after "
         "a checkpoint.";
}

/// Returns an exit code if there is nothing left to do.
static std::optional<int> parse(CLI::App &app, int argc, char **argv,
                                Options &options, bool needsData,
                                const std::string &hint) {
  std::string name = app.get_name();
  app.set_version_flag("--version", name + " (nlp-opt " NLP_VERSION ")");
  app.get_formatter()->column_width(24);
  app.option_defaults()->take_last();
  addOptions(app, options);
  try {
    app.parse(argc, argv);
    checkUsage(options, needsData);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::Error &error) {
    std::fprintf(stderr, "%s: error: %s\n%s", name.c_str(), error.what(),
                 hint.c_str());
    return exitUsage;
  }
  return std::nullopt;
}

std::optional<int> checkOptions(const std::string &model, int argc, char **argv,
                                bool needsData, const std::string &hint) {
  CLI::App app(aboutText(model), nameOf(argc, argv));
  Options options;
  return parse(app, argc, argv, options, needsData, hint);
}

std::optional<int> parseOptions(const nlprt_program &program, int argc,
                                char **argv, Options &options) {
  std::string name = nameOf(argc, argv);
  CLI::App app(aboutText(program.model), name);
  if (std::optional<int> code = parse(app, argc, argv, options, true, ""))
    return code;
  if (options.describe.empty())
    warnUnused(app, program, name);
  if (options.data.empty()) // no step reads it
    options.data = options.evalData;
  if (options.schedule.warmup < 0)
    options.schedule.warmup = std::min<int64_t>(options.steps / 20, 2000);
  int64_t asked = options.threads ? options.threads : environmentThreads();
  options.threads = asked ? asked : usableProcessors();
  if (options.threads > program.planned_threads) {
    if (asked && options.describe.empty())
      std::fprintf(stderr,
                   "%s: note: %lld threads instead of %lld: the plan has "
                   "workspaces for so many\n",
                   name.c_str(), (long long)program.planned_threads,
                   (long long)options.threads);
    options.threads = program.planned_threads;
  }
  return std::nullopt;
}

} // namespace nlprt
