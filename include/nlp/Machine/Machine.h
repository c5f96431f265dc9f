//===- Machine.h - Devices, nodes and links ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What plans are costed on, read from a machine file (docs/Machine.md). Ops say
// flops and bytes; seconds come from here. Where a rate is absent, helpers fall
// back as the document says.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_MACHINE_MACHINE_H
#define NLP_MACHINE_MACHINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nlp {

/// One processor with its own memory: a GPU, or a host's CPUs together.
struct Device {
  enum class Kind { CPU, GPU };

  Kind kind = Kind::CPU;
  /// What a program can have of its memory.
  int64_t memoryBytes = 0;
  int64_t memoryBytesPerSec = 0;
  /// Dense matrix products by element type: f32, tf32, f16, bf16, f8, i8.
  /// Those of 16 bits and less accumulate in 32.
  std::map<std::string, double> matrixFlopsPerSec;
  /// Arithmetic outside matrix products, in f32.
  double vectorFlopsPerSec = 0;
  /// From the host's call to the kernel's first instruction, when the queue is
  /// empty; what a kernel costs at least.
  double launchSeconds = 0;
  /// Cores of a CPU, multiprocessors of a GPU.
  int64_t cores = 1;

  /// The rate for `type`. An absent type runs at the rate of the next wider
  /// that is there: bf16 and f16 for each other, f8 and i8 as 16 bits, then
  /// tf32, f32.
  double getMatrixFlopsPerSec(llvm::StringRef type) const;
};

/// How devices talk. Rates are for each device and direction.
struct Link {
  int64_t bytesPerSec = 0;
  double latencySeconds = 0;
};

struct Machine {
  std::string name;
  /// Where the numbers come from.
  std::string source;
  Device device;
  int64_t devicesPerNode = 1;
  /// Between the devices of a node.
  Link link;
  /// Between nodes.
  Link nic;
  /// Between a device and its host's memory.
  Link host;

  /// The link that limits a group of `devices` neighbouring devices.
  const Link &getLinkOf(int64_t devices) const {
    return devices <= devicesPerNode ? link : nic;
  }
};

/// Reads a machine file's text; errors go by the name `fileName`.
llvm::Expected<Machine> parseMachine(llvm::StringRef text,
                                     llvm::StringRef fileName);

/// The text of a machine file that parseMachine reads back.
std::string printMachine(const Machine &machine);

/// The folder of machine files that goes with the running program: machines/
/// in the source tree of a build, share/nlp-opt/machines of an installation.
/// Empty where neither is there.
std::string getMachinesFolder();

/// Reads `spec`: NAME or FILE, then ",KEY=VALUE" overlays (docs/Machine.md).
/// An empty NAME is this machine: cpu with the memory and cores found here.
/// Names are looked up in `folder`.
llvm::Expected<Machine> loadMachine(llvm::StringRef spec,
                                    llvm::StringRef folder);
llvm::Expected<Machine> loadMachine(llvm::StringRef spec);

/// Names of the machine files in `folder`, sorted.
std::vector<std::string> listMachines(llvm::StringRef folder);

} // namespace nlp

#endif // NLP_MACHINE_MACHINE_H
