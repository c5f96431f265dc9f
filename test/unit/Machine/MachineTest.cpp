//===- MachineTest.cpp - Machine files and overlays -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files that ship, overlays, and what is said about each kind of mistake.
//
//===----------------------------------------------------------------------===//

#include "nlp/Machine/Machine.h"
#include "gtest/gtest.h"

using namespace nlp;

static const char folder[] = NLP_MACHINES_FOLDER;

static Machine load(llvm::StringRef spec) {
  return llvm::cantFail(loadMachine(spec, folder));
}

static std::string loadError(llvm::StringRef spec) {
  llvm::Expected<Machine> machine = loadMachine(spec, folder);
  return machine ? "" : llvm::toString(machine.takeError());
}

/// A small file that holds `device` and what follows it.
static std::string parseError(llvm::StringRef device, llvm::StringRef rest) {
  std::string text =
      R"({"version": 1, "name": "m", "source": "s", "device": )" +
      device.str() + rest.str() + "}";
  llvm::Expected<Machine> machine = parseMachine(text, "m.json");
  return machine ? "" : llvm::toString(machine.takeError());
}

static constexpr char goodDevice[] =
    R"({"kind": "gpu", "memory": "1GiB", "memory-bandwidth": 100,
        "matrix-flops": {"f32": 1e9}, "vector-flops": 1e9,
        "launch-seconds": 0, "cores": 1})";

TEST(Machine, EveryShippedFileReads) {
  std::vector<std::string> names = listMachines(folder);
  EXPECT_GE(names.size(), 3u);
  for (const std::string &name : names) {
    Machine machine = load(name);
    EXPECT_EQ(machine.name, name);
    EXPECT_GT(machine.source.size(), 20u) << name;
    EXPECT_GT(machine.nic.bytesPerSec, 0) << name;
  }
}

TEST(Machine, ReadsWhatTheFileSays) {
  Machine machine = load("h100-sxm");
  EXPECT_EQ(machine.device.kind, Device::Kind::GPU);
  EXPECT_EQ(machine.device.memoryBytes, 80ll << 30);
  EXPECT_EQ(machine.device.memoryBytesPerSec, 3350000000000);
  EXPECT_EQ(machine.device.getMatrixFlopsPerSec("bf16"), 989.4e12);
  EXPECT_EQ(machine.devicesPerNode, 8);
  EXPECT_EQ(machine.getLinkOf(8).bytesPerSec, 450000000000);
  EXPECT_EQ(machine.getLinkOf(9).bytesPerSec, 50000000000);
}

TEST(Machine, AbsentTypesRunAsWiderOnes) {
  Device device;
  device.matrixFlopsPerSec = {{"f32", 1}, {"f16", 4}};
  EXPECT_EQ(device.getMatrixFlopsPerSec("f32"), 1);
  EXPECT_EQ(device.getMatrixFlopsPerSec("tf32"), 1);
  EXPECT_EQ(device.getMatrixFlopsPerSec("bf16"), 4);
  EXPECT_EQ(device.getMatrixFlopsPerSec("f8"), 4);
}

TEST(Machine, OverlaysReplaceValues) {
  Machine machine =
      load("a100-40g,memory=96GiB,memory-bandwidth=2.4TB/s,nic=6.25GB/s,"
           "link=200GB/s,devices-per-node=16");
  EXPECT_EQ(machine.device.memoryBytes, 96ll << 30);
  EXPECT_EQ(machine.device.memoryBytesPerSec, 2400000000000);
  EXPECT_EQ(machine.nic.bytesPerSec, 6250000000);
  EXPECT_EQ(machine.link.bytesPerSec, 200000000000);
  EXPECT_EQ(machine.devicesPerNode, 16);
}

TEST(Machine, TheEmptyNameIsThisMachine) {
  Machine machine = load("");
  EXPECT_EQ(machine.name, "this machine");
  EXPECT_GE(machine.device.cores, 1);
  EXPECT_GT(machine.device.memoryBytes, 64ll << 20);
  EXPECT_EQ(load(",memory=1GiB").device.memoryBytes, 1ll << 30);
}

TEST(Machine, PrintsWhatItReads) {
  for (const std::string &name : listMachines(folder)) {
    Machine machine = load(name);
    std::string text = printMachine(machine);
    Machine again = llvm::cantFail(parseMachine(text, "again.json"));
    EXPECT_EQ(printMachine(again), text);
    EXPECT_EQ(again.device.matrixFlopsPerSec, machine.device.matrixFlopsPerSec);
  }
}

TEST(Machine, NamesMistakesInASpecification) {
  EXPECT_EQ(loadError("h100").find("expected one of the machines a100-40g, "),
            0u);
  EXPECT_NE(loadError("h100").find("but got 'h100'"), std::string::npos);
  EXPECT_EQ(loadError("../cpu"), "../cpu: could not open: No such file or "
                                 "directory");
  EXPECT_EQ(loadError("cpu,memroy=1"),
            "expected KEY=VALUE with one of the keys memory, memory-bandwidth, "
            "link, nic, devices-per-node, but got 'memroy=1'");
  EXPECT_EQ(loadError("cpu,memory"),
            "expected KEY=VALUE with one of the keys memory, memory-bandwidth, "
            "link, nic, devices-per-node, but got 'memory'");
  EXPECT_EQ(loadError("cpu,").find("expected KEY=VALUE"), 0u);
  EXPECT_EQ(loadError("cpu,nic=fast"),
            "nic: expected a rate such as 12.5GB/s, but got 'fast'");
  EXPECT_EQ(loadError("cpu,memory=0"),
            "memory: expected more than 0, but got '0'");
  EXPECT_EQ(loadError("cpu,devices-per-node=0"),
            "devices-per-node: expected a number of 1 or more, but got '0'");
}

TEST(Machine, NamesMistakesInAFile) {
  EXPECT_EQ(parseError(goodDevice, R"(, "devices-per-node": 1)"), "");
  EXPECT_EQ(parseError(goodDevice, R"(, "devices-per-node": 8)"),
            "m.json: expected the field 'link' where a node has 8 devices");
  EXPECT_EQ(parseError(goodDevice, ""),
            "m.json: expected the field 'devices-per-node', but it is missing");
  EXPECT_EQ(parseError(goodDevice, R"(, "devices-per-node": 0)"),
            "m.json: devices-per-node: expected an integer from 1 to "
            "1073741824, but got 0");
  EXPECT_EQ(parseError("3", R"(, "devices-per-node": 1)"),
            "m.json: device: expected an object that describes the device, but "
            "got 3");
  EXPECT_EQ(parseError(R"({"kind": "tpu"})", ""),
            "m.json: device.kind: expected \"cpu\" or \"gpu\", but got "
            "\"tpu\"");
  EXPECT_EQ(parseError(R"({"kind": "gpu", "memory": "lots"})", ""),
            "m.json: device.memory: expected a size such as 1.5GiB, 800MB or "
            "4096, but got 'lots'");
  EXPECT_EQ(parseError(R"({"kind": "gpu", "memory": -1})", ""),
            "m.json: device.memory: expected an integer of 1 or more, but got "
            "-1");
  EXPECT_EQ(parseError(R"({"kind": "gpu", "memory": 1, "memory-bandwidth": 1,
                           "matrix-flops": {"f32": NaN}})",
                       ""),
            "m.json: device.matrix-flops.f32: expected a number above 0, but "
            "got NaN");
  EXPECT_EQ(
      parseError(R"({"kind": "gpu", "memory": 1, "memory-bandwidth": 1,
                           "matrix-flops": {"f33": 1}})",
                 ""),
      "m.json: device.matrix-flops: expected one of the fields f32, tf32, "
      "f16, bf16, f8, i8, but got 'f33'");
  llvm::Expected<Machine> machine = parseMachine("[]", "m.json");
  EXPECT_EQ(llvm::toString(machine.takeError()),
            "m.json: expected an object that describes a machine, but got an "
            "array of 0 elements");
}
