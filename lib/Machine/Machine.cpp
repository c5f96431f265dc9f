//===- Machine.cpp - Find a machine and overlay it --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name is looked up beside the running program, a file is read as it stands;
// both may carry overlays. What this machine has is asked of the system.
//
//===----------------------------------------------------------------------===//

#include "nlp/Machine/Machine.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <sched.h>
#include <unistd.h>

using namespace llvm;
using namespace nlp;

double Device::getMatrixFlopsPerSec(StringRef type) const {
  static constexpr StringLiteral wider[] = {"bf16", "f16", "tf32", "f32"};
  auto found = matrixFlopsPerSec.find(type.str());
  if (found != matrixFlopsPerSec.end())
    return found->second;
  bool is32Bit = type == "tf32" || type == "f32";
  for (StringRef other : ArrayRef(wider).drop_front(is32Bit ? 3 : 0)) {
    found = matrixFlopsPerSec.find(other.str());
    if (found != matrixFlopsPerSec.end())
      return found->second;
  }
  return 0;
}

std::vector<std::string> nlp::listMachines(StringRef folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (sys::fs::directory_iterator file(folder, error), end;
       !error && file != end; file.increment(error))
    if (sys::path::extension(file->path()) == ".json")
      names.push_back(sys::path::stem(file->path()).str());
  llvm::sort(names);
  return names;
}

std::string nlp::getMachinesFolder() {
  std::string program = sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&nlp::getMachinesFolder));
  StringRef bin = sys::path::parent_path(program);
  for (StringRef relative : {"../share/nlp-opt/machines", "../../machines"}) {
    SmallString<128> folder(bin);
    sys::path::append(folder, relative);
    if (sys::fs::is_directory(folder)) {
      sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
      return folder.str().str();
    }
  }
  return "";
}

/// Bytes of memory that a program can have here: the machine's, or a limit of
/// the container that it runs in.
static int64_t getHostMemoryBytes() {
  int64_t bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) *
                  static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  for (const char *path : {"/sys/fs/cgroup/memory.max",
                           "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    Expected<std::string> text = readFile(path, 4096);
    if (!text) {
      consumeError(text.takeError());
      continue;
    }
    int64_t limit;
    if (!StringRef(*text).trim().getAsInteger(10, limit) && limit > 0)
      bytes = std::min(bytes, limit);
  }
  return bytes;
}

/// Processors that this process may run on.
static int64_t getHostCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max(1l, sysconf(_SC_NPROCESSORS_ONLN));
}

/// Makes the generic `machine` this one. Rates of arithmetic grow with the
/// cores; memory is shared by them.
static void adaptToHost(Machine &machine) {
  Device &device = machine.device;
  double factor =
      static_cast<double>(getHostCores()) / static_cast<double>(device.cores);
  for (auto &[type, rate] : device.matrixFlopsPerSec)
    rate *= factor;
  device.vectorFlopsPerSec *= factor;
  device.cores = getHostCores();
  device.memoryBytes = getHostMemoryBytes();
}

/// Carries out the overlay `item`, "KEY=VALUE".
static Error applyOverlay(StringRef item, Machine &machine) {
  auto [key, value] = item.split('=');
  bool isSize = key == "memory", isCount = key == "devices-per-node";
  int64_t *rate = key == "memory-bandwidth" ? &machine.device.memoryBytesPerSec
                  : key == "link"           ? &machine.link.bytesPerSec
                  : key == "nic"            ? &machine.nic.bytesPerSec
                                            : nullptr;
  if (!item.contains('=') || (!isSize && !isCount && !rate))
    return makeError("expected KEY=VALUE with one of the keys memory, "
                     "memory-bandwidth, link, nic, devices-per-node, but got "
                     "'" +
                     item + "'");
  if (isCount) {
    if (value.getAsInteger(10, machine.devicesPerNode) ||
        machine.devicesPerNode < 1 || machine.devicesPerNode > 1 << 30)
      return makeError(key + ": expected a number of 1 or more, but got '" +
                       value + "'");
    return Error::success();
  }
  Expected<int64_t> quantity = isSize ? parseSize(value) : parseRate(value);
  if (!quantity)
    return makeError(key + ": " + toString(quantity.takeError()));
  if (*quantity <= 0)
    return makeError(key + ": expected more than 0, but got '" + value + "'");
  (isSize ? machine.device.memoryBytes : *rate) = *quantity;
  return Error::success();
}

/// Reads the machine file that `name` means.
static Expected<Machine> readMachineFile(StringRef name, StringRef folder) {
  SmallString<128> path(name);
  if (!name.contains('/') && !name.ends_with(".json")) {
    std::vector<std::string> known = listMachines(folder);
    if (known.empty())
      return makeError(
          "expected a machine file (FILE.json), since no machines/ "
          "stands beside this program, but got '" +
          name + "'");
    if (!is_contained(known, name))
      return makeError("expected one of the machines " + join(known, ", ") +
                       " or a machine file (FILE.json), but got '" + name +
                       "'");
    path = folder;
    sys::path::append(path, name + ".json");
  }
  Expected<std::string> text = readFile(path, 1 << 20);
  if (!text)
    return text.takeError();
  return parseMachine(*text, path);
}

Expected<Machine> nlp::loadMachine(StringRef spec, StringRef folder) {
  auto [name, overlays] = spec.split(',');
  Expected<Machine> machine =
      readMachineFile(name.empty() ? "cpu" : name, folder);
  if (!machine)
    return machine.takeError();
  if (name.empty()) {
    machine->name = "this machine";
    adaptToHost(*machine);
  }
  if (!spec.contains(','))
    return machine;
  SmallVector<StringRef> items;
  overlays.split(items, ',');
  for (StringRef item : items)
    if (Error error = applyOverlay(item, *machine))
      return error;
  if (machine->devicesPerNode > 1 && !machine->link.bytesPerSec)
    return makeError("expected link=RATE where a node has " +
                     Twine(machine->devicesPerNode) + " devices");
  return machine;
}

Expected<Machine> nlp::loadMachine(StringRef spec) {
  return loadMachine(spec, getMachinesFolder());
}
