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

/// A number from `low` on, finite.
static CLI::Validator atLeast(double low, const char *what) {
  return CLI::Validator(
      [low, what](std::string &text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= low &&
            value <= std::numeric_limits<double>::max())
          return "";
        return std::string("expected ") + what + ", but got '" + text + "'";
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
  CLI::Validator positive = atLeast(1, "a number from 1 on");
  CLI::Validator natural = atLeast(0, "a number from 0 on");
  CLI::Validator rate = atLeast(0, "a number that is not negative");
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
  add("--steps", options.steps, "optimizer steps in all [1000]")
      ->check(positive);
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
  add("--max-grad-norm", options.maxGradNorm, "clip the gradient [1.0]")
      ->check(rate);
  add("--seed", options.seed, "of weights, dropout and order [1]");
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
      ->check(positive);
  app.add_flag("--describe", options.describe, "print the plan and stop");
}

/// What CLI11 cannot see: options that need one another.
static void checkUsage(const Options &options) {
  auto require = [](bool good, const char *message) {
    if (!good)
      throw CLI::ValidationError(message, CLI::ExitCodes::ValidationError);
  };
  require(options.describe || !options.data.empty(),
          "expected --data=FILE (or --describe)");
  require(!options.resume || !options.checkpointDir.empty(),
          "--resume needs --checkpoint-dir=DIR");
  require(!options.checkpointEvery || !options.checkpointDir.empty(),
          "--checkpoint-every needs --checkpoint-dir=DIR");
  require(!options.evalEvery || !options.evalData.empty(),
          "--eval-every needs --eval-data=FILE");
}

std::optional<int> parseOptions(const nlprt_program &program, int argc,
                                char **argv, Options &options) {
  std::string name = argc > 0 ? argv[0] : "train";
  name = name.substr(name.find_last_of('/') + 1);
  CLI::App app(std::string("Trains ") + program.model +
                   "; exit codes: 0 done, 1 failed, 2 wrong usage, 75 "
                   "interrupted after a checkpoint.",
               name);
  app.set_version_flag("--version", name + " (nlp-opt " NLP_VERSION ")");
  app.get_formatter()->column_width(24);
  app.option_defaults()->take_last();
  addOptions(app, options);
  try {
    app.parse(argc, argv);
    checkUsage(options);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::Error &error) {
    std::fprintf(stderr, "%s: error: %s\n", name.c_str(), error.what());
    return exitUsage;
  }
  if (options.schedule.warmup < 0)
    options.schedule.warmup = std::min<int64_t>(options.steps / 20, 2000);
  int64_t asked = options.threads ? options.threads : environmentThreads();
  options.threads = asked ? asked : usableProcessors();
  if (options.threads > program.planned_threads) {
    if (asked && !options.describe)
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
