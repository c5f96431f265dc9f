//===- nlp-calibrate.cpp - Measures this machine ----------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a machine file (docs/Machine.md): what is measured here, and the links
// of the generic CPU, which are not.
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "nlp/Machine/Machine.h"
#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "nlprt/backend.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include <CLI/CLI.hpp>

using namespace nlp;

static constexpr const char *kTool = "nlp-calibrate";

/// Replaces what `device` holds by what `context` reaches.
static void measure(Device &device, nlprt_context *context) {
  int64_t threads = device.cores;
  device.matrixFlopsPerSec.clear();
  for (auto [name, dtype] :
       {std::pair("f32", NLPRT_F32), {"bf16", NLPRT_BF16}, {"f16", NLPRT_F16}})
    if (std::optional<double> rate = measureProducts(context, dtype, threads))
      device.matrixFlopsPerSec[name] = *rate;
  device.memoryBytesPerSec =
      static_cast<int64_t>(measureCopy(context, device.memoryBytes));
  device.vectorFlopsPerSec = measureVectors(context, threads);
  device.launchSeconds = measureLaunch(context, threads);
}

static void print(const Device &device) {
  auto line = [](const llvm::Twine &name, const std::string &value) {
    llvm::outs() << llvm::formatv("  {0,-22} {1}\n", name.str(), value);
  };
  line("cores", std::to_string(device.cores));
  line("memory", formatSize(device.memoryBytes));
  line("copy", llvm::formatv("{0:F1} GB/s, read and written",
                             device.memoryBytesPerSec / 1e9));
  for (const auto &[type, rate] : device.matrixFlopsPerSec)
    line("products in " + type, llvm::formatv("{0:F1} GFLOP/s", rate / 1e9));
  line("vectors in f32",
       llvm::formatv("{0:F1} GFLOP/s", device.vectorFlopsPerSec / 1e9));
  line("launch", llvm::formatv("{0:F2} us", device.launchSeconds * 1e6));
}

int main(int argc, char **argv) {
  CLI::App app("Measures this machine into a machine file, for --machine=FILE.",
               kTool);
  app.set_version_flag("--version", std::string(kTool) + " " NLP_VERSION);
  std::string output, name;
  int64_t threads = 0;
  app.add_option("-o", output, "the machine file")
      ->type_name("FILE")
      ->required();
  app.add_option("--name", name, "what to call the machine; default: its CPU")
      ->type_name("NAME");
  app.add_option("--threads", threads, "cores to measure; default: all")
      ->check(CLI::Range(1, 4096));
  if (std::optional<int> code = parseCommandLine(app, argc, argv))
    return *code;

  llvm::Expected<Machine> machine = loadMachine("");
  if (!machine)
    return reportError(kTool, machine.takeError());
  if (threads > 0)
    machine->device.cores = threads;
  nlprt_context *context = nlprt_context_create(machine->device.cores);
  if (!context)
    return reportError(kTool, makeError("no memory left on the host"));
  try {
    measure(machine->device, context);
  } catch (const std::bad_alloc &) {
    return reportError(kTool, makeError("no memory left on the host"));
  }
  nlprt_context_destroy(context);
  if (!machine->device.matrixFlopsPerSec.count("f32"))
    return reportError(kTool, makeError("a matrix product in f32 failed"));
  std::string cpu = llvm::sys::getHostCPUName().str();
  machine->name = name.empty() ? cpu : name;
  machine->source =
      "Measured by nlp-calibrate on a CPU of the kind " + cpu + " with " +
      std::to_string(machine->device.cores) +
      " threads: medians of products of a Transformer's shapes, of a copy, of "
      "multiply-adds in registers; the least of an empty parallel call. Links are "
      "those of machines/cpu.json.";
  if (llvm::Error error = writeFileAtomically(output, printMachine(*machine)))
    return reportError(kTool, std::move(error));
  if (output != "-")
    print(machine->device);
  return 0;
}
