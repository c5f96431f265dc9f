//===- MainFunction.cpp - The entry point of a training binary --*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels use the features of the CPU that they were compiled for. `main` is
// compiled for the plainest x86-64, reads what this CPU has (cpuid, and xgetbv
// for what the operating system saves), and compares, so that a binary on the
// wrong machine ends with an error instead of an illegal instruction.
//
//===----------------------------------------------------------------------===//

#include "MainFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {
enum Register { EAX, EBX, ECX, EDX };

/// Where cpuid reports a feature.
struct CpuFeature {
  StringRef name; ///< As LLVM calls it.
  unsigned leaf, subleaf;
  Register reg;
  unsigned bit;
};
} // namespace

/// What generated code may use; Intel's and AMD's manuals, CPUID instruction.
static const CpuFeature cpuFeatures[] = {
    {"sse3", 1, 0, ECX, 0},           {"ssse3", 1, 0, ECX, 9},
    {"fma", 1, 0, ECX, 12},           {"sse4.1", 1, 0, ECX, 19},
    {"sse4.2", 1, 0, ECX, 20},        {"movbe", 1, 0, ECX, 22},
    {"popcnt", 1, 0, ECX, 23},        {"avx", 1, 0, ECX, 28},
    {"f16c", 1, 0, ECX, 29},          {"bmi", 7, 0, EBX, 3},
    {"avx2", 7, 0, EBX, 5},           {"bmi2", 7, 0, EBX, 8},
    {"avx512f", 7, 0, EBX, 16},       {"avx512dq", 7, 0, EBX, 17},
    {"avx512cd", 7, 0, EBX, 28},      {"avx512bw", 7, 0, EBX, 30},
    {"avx512vl", 7, 0, EBX, 31},      {"avx512vbmi", 7, 0, ECX, 1},
    {"avx512vbmi2", 7, 0, ECX, 6},    {"avx512vnni", 7, 0, ECX, 11},
    {"avx512bitalg", 7, 0, ECX, 12},  {"avx512vpopcntdq", 7, 0, ECX, 14},
    {"avx512fp16", 7, 0, EDX, 23},    {"avx512bf16", 7, 1, EAX, 5},
    {"avxvnni", 7, 1, EAX, 4},        {"avxifma", 7, 1, EAX, 23},
    {"lzcnt", 0x80000001, 0, ECX, 5},
};

static bool isEnabled(const TargetMachine &machine, StringRef feature) {
  return machine.getMCSubtargetInfo()->checkFeatures(("+" + feature).str());
}

/// One register of a cpuid leaf.
static Value *readCpuid(IRBuilder<> &b, unsigned leaf, unsigned subleaf,
                        Register reg) {
  Type *word = b.getInt32Ty();
  auto *type = FunctionType::get(StructType::get(word, word, word, word),
                                 {word, word}, false);
  auto *code = InlineAsm::get(
      type, "cpuid", "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}",
      /*hasSideEffects=*/false);
  return b.CreateExtractValue(
      b.CreateCall(code, {b.getInt32(leaf), b.getInt32(subleaf)}), reg);
}

/// The low half of extended control register 0.
static Value *readSavedState(IRBuilder<> &b) {
  Type *word = b.getInt32Ty();
  auto *type = FunctionType::get(StructType::get(word, word), {word}, false);
  auto *code = InlineAsm::get(type, "xgetbv",
                              "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}",
                              /*hasSideEffects=*/false);
  return b.CreateExtractValue(b.CreateCall(code, {b.getInt32(0)}), 0);
}

static void addCpuCheck(IRBuilder<> &b, Function &main, BasicBlock *lacking,
                        const TargetMachine &machine) {
  auto require = [&](Value *word, uint32_t mask) {
    auto *next = BasicBlock::Create(b.getContext(), "", &main);
    Value *has = b.CreateICmpEQ(b.CreateAnd(word, mask), b.getInt32(mask));
    b.CreateCondBr(has, next, lacking);
    b.SetInsertPoint(next);
  };
  if (isEnabled(machine, "avx")) {
    require(readCpuid(b, 1, 0, ECX), 1u << 27); // xgetbv exists
    // Saved on a context switch: xmm, ymm; with AVX-512 masks and zmm.
    require(readSavedState(b), isEnabled(machine, "avx512f") ? 0xe6 : 0x06);
  }
  for (const CpuFeature &feature : cpuFeatures)
    if (isEnabled(machine, feature.name)) {
      // A leaf beyond the highest would answer for another.
      Value *highest = readCpuid(b, feature.leaf & 0x80000000, 0, EAX);
      auto *next = BasicBlock::Create(b.getContext(), "", &main);
      b.CreateCondBr(b.CreateICmpUGE(highest, b.getInt32(feature.leaf)), next,
                     lacking);
      b.SetInsertPoint(next);
      require(readCpuid(b, feature.leaf, feature.subleaf, feature.reg),
              1u << feature.bit);
    }
}

void nlp::addMain(Module &module, const TargetMachine &machine) {
  LLVMContext &context = module.getContext();
  IRBuilder<> b(context);
  Type *word = b.getInt32Ty(), *pointer = b.getPtrTy();
  auto *main = Function::Create(FunctionType::get(word, {word, pointer}, false),
                                Function::ExternalLinkage, "main", module);
  bool isX86 = machine.getTargetTriple().isX86();
  if (isX86)
    main->addFnAttr("target-cpu", "x86-64");
  b.SetInsertPoint(BasicBlock::Create(context, "", main));
  if (isX86) {
    auto *lacking = BasicBlock::Create(context, "lacking", main);
    addCpuCheck(b, *main, lacking, machine);
    IRBuilder<> error(lacking);
    std::string text = "error: expected a CPU with the features of '" +
                       machine.getTargetCPU().str() +
                       "', for which this program was compiled, but this one "
                       "lacks some of them\n";
    FunctionCallee write = module.getOrInsertFunction(
        "write", FunctionType::get(b.getInt64Ty(),
                                   {word, pointer, b.getInt64Ty()}, false));
    error.CreateCall(write, {error.getInt32(2),
                             error.CreateGlobalString(text, "", 0, &module),
                             error.getInt64(text.size())});
    error.CreateRet(error.getInt32(1));
  }
  FunctionCallee run = module.getOrInsertFunction(
      "nlprt_main", FunctionType::get(word, {pointer, word, pointer}, false));
  b.CreateRet(
      b.CreateCall(run, {module.getNamedGlobal("nlprt_compiled_program"),
                         main->getArg(0), main->getArg(1)}));
}
