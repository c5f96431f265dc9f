//===- PlanOptions.cpp - Command-line options of a plan ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/PlanOptions.h"
#include "nlp/Import/LoadModel.h"
#include "nlp/Support/Units.h"
#include "llvm/Support/raw_ostream.h"
#include <CLI/CLI.hpp>
#include <thread>

using namespace nlp;

/// What is wrong with the name of a pipeline's schedule; empty: nothing.
static std::string checkSchedule(const std::string &text) {
  auto [name, chunks] = llvm::StringRef(text).split(':');
  int64_t count = 0;
  if (name == "interleaved" && !chunks.getAsInteger(10, count) && count > 0)
    return "";
  if (llvm::is_contained({"gpipe", "1f1b", "zb-h1", "zb-h2"}, text))
    return "";
  return "expected gpipe, 1f1b, interleaved:V, zb-h1 or zb-h2, but got '" +
         text + "'";
}

void nlp::addPlanOptions(CLI::App &app, PlanArguments &arguments) {
  PlanRequest &request = arguments.request;
  auto onOff = CLI::IsMember({"on", "off"});
  auto positive = CLI::Range(int64_t(1), int64_t(1) << 30);
  app.add_option("--optimizer", request.optimizer, "adamw or sgd")
      ->check(CLI::IsMember({"adamw", "sgd"}));
  app.add_option("--clip", arguments.clip, "clip gradients: on or off")
      ->check(onOff);
  app.add_option("--machine", arguments.machine,
                 "machine file or name, with KEY=VALUE overlays")
      ->type_name("NAME|FILE");
  app.add_option("--devices", request.devices,
                 "devices in all; more than 1: not supported yet")
      ->check(positive);
  app.add_option("--memory-budget", arguments.memoryBudget,
                 "of each device; default: its memory")
      ->type_name("SIZE|PERCENT");
  app.add_option("--numerics", request.numerics,
                 "exact; mixed, aggressive: not supported yet")
      ->check(CLI::IsMember({"exact", "mixed", "aggressive"}));
  app.add_option("--dp", request.dp, "data-parallel ranks; not supported yet")
      ->check(positive);
  app.add_option("--tp", request.tp, "tensor-parallel ranks; not supported yet")
      ->check(positive);
  app.add_option("--pp", request.pp, "pipeline stages; not supported yet")
      ->check(positive);
  app.add_option("--cp", request.cp,
                 "context-parallel ranks; not supported yet")
      ->check(positive);
  app.add_option("--ep", request.ep, "expert-parallel ranks; not supported yet")
      ->check(positive);
  app.add_option("--zero", request.zero,
                 "ZeRO stage, 0 to 3; above 0: not supported yet")
      ->check(CLI::Range(0, 3));
  app.add_option("--sequence-parallel", arguments.sequenceParallel,
                 "off; on: not supported yet")
      ->check(onOff);
  app.add_option("--micro-batch", request.microBatch,
                 "sequences in a micro-batch")
      ->check(positive);
  app.add_option("--loss-chunks", request.lossChunks,
                 "chunks of tokens in head and loss")
      ->check(positive);
  app.add_option("--schedule", request.schedule,
                 "gpipe, 1f1b, interleaved:V, zb-h1 or zb-h2")
      ->check(CLI::Validator(checkSchedule, ""));
  app.add_option("--stage-layers", request.stageLayers,
                 "blocks of each pipeline stage; not supported yet")
      ->delimiter(',');
  app.add_option("--recompute", request.recompute,
                 "auto, none, block, attention, N,N,... or keep:OP,...")
      ->type_name("WHAT");
  app.add_option("--threads", request.threads,
                 "threads that workspaces are planned for; default: all cores")
      ->check(CLI::Range(1, 4096));
}

static std::optional<bool> parseSwitch(llvm::StringRef text) {
  return text.empty() ? std::nullopt : std::optional(text == "on");
}

static void warn(const llvm::Twine &message) {
  llvm::errs() << "warning: " << message << "\n";
}

llvm::Error nlp::resolvePlanOptions(PlanArguments &arguments) {
  PlanRequest &request = arguments.request;
  request.clip = parseSwitch(arguments.clip);
  request.sequenceParallel = parseSwitch(arguments.sequenceParallel);
  llvm::Expected<Machine> machine = loadMachine(arguments.machine);
  if (!machine)
    return machine.takeError();
  request.machine = std::move(*machine);
  int64_t cores = std::thread::hardware_concurrency();
  if (cores > 0 && request.threads > cores)
    warn("--threads=" + llvm::Twine(request.threads) + ": this machine has " +
         llvm::Twine(cores) + " cores");
  llvm::StringRef budget = arguments.memoryBudget;
  if (budget.empty())
    return llvm::Error::success();
  if (budget.consume_back("%")) {
    double percent = 0;
    if (budget.getAsDouble(percent) || !(percent > 0 && percent <= 100))
      return llvm::make_error<UsageError>(
          "--memory-budget: expected a percentage in (0, 100], but got " +
          arguments.memoryBudget);
    request.budgetBytes = static_cast<int64_t>(
        percent / 100 *
        static_cast<double>(request.machine.device.memoryBytes));
    return llvm::Error::success();
  }
  llvm::Expected<int64_t> bytes = parseSize(budget);
  if (!bytes)
    return llvm::make_error<UsageError>("--memory-budget: " +
                                        llvm::toString(bytes.takeError()));
  request.budgetBytes = *bytes;
  int64_t memory = request.machine.device.memoryBytes;
  if (*bytes > memory)
    warn("--memory-budget: expected at most the device's memory of " +
         formatSize(memory) + " (" + llvm::Twine(memory) + " bytes), but got " +
         formatSize(*bytes) + " (" + llvm::Twine(*bytes) + " bytes)");
  return llvm::Error::success();
}

llvm::Expected<PlanResult> nlp::planArguments(const ModelArguments &model,
                                              PlanArguments &plan,
                                              mlir::MLIRContext *context) {
  if (llvm::Error error = resolvePlanOptions(plan))
    return error;
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      loadModel(model.model, model.options, context);
  if (!module)
    return module.takeError();
  return planModel(**module, plan.request);
}
