//===- KernelHarness.cpp - Compile a kernel and run it ----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "nlp/Conversion/KernelWorkspace.h"
#include "nlp/Conversion/Passes.h"
#include "nlp/Target/ObjectFile.h"
#include "nlprt/counter_random.h"
#include "nlprt/nlprt.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace nlp;
using namespace nlp::test;

/// Compiled code calls whatever was passed as its context.
static nlprt_status forward(nlprt_context *context, const nlprt_site *site,
                            nlprt_body body, int64_t items,
                            void *const *buffers) {
  auto parallel = reinterpret_cast<decltype(&nlprt_parallel)>(context);
  return parallel(context, site, body, items, buffers);
}

/// Parts that `cutParts` cuts the items into.
static int64_t parts = 1;

static nlprt_status cutParts(nlprt_context *, const nlprt_site *,
                             nlprt_body body, int64_t items,
                             void *const *buffers) {
  for (int64_t part = parts; part-- > 0;)
    if (int64_t begin = items * part / parts, end = items * (part + 1) / parts;
        begin < end)
      body(begin, end, buffers);
  return NLPRT_OK;
}

static int64_t getBytes(MLIRContext &context, const std::string &type) {
  return rt::getBufferBytes(
      cast<MemRefType>(mlir::parseType("memref<" + type + ">", &context)));
}

static MLIRContext &getContext() {
  static MLIRContext context;
  context
      .loadDialect<rt::NLPRTDialect, arith::ArithDialect, math::MathDialect>();
  return context;
}

Tensor::Tensor(std::string type) : type(type) {
  bytes.resize(getBytes(getContext(), type));
}

std::string nlp::test::getProgramText(const Launch &launch) {
  std::string text = "nlprt.program @step attributes {model = \"test\", "
                     "global_batch = 1, micro_batch = 1, seq_len = 1, "
                     "vocab_size = 1, threads = 2, runs = []} {\n",
              names[2], types[2], gets;
  auto add = [&](int side, unsigned number, const std::string &type) {
    std::string symbol = (side ? "out" : "in") + std::to_string(number);
    std::string memref = "memref<" + type + ">";
    if (!side || llvm::none_of(launch.shared,
                               [&](auto pair) { return pair.first == number; }))
      text += "nlprt.buffer @" + symbol + " : " + memref +
              " kind state category activations\n";
    for (auto [out, in] : launch.shared)
      if (side && out == number)
        symbol = "in" + std::to_string(in);
    std::string value =
        "%" + std::string(side ? "o" : "i") + std::to_string(number);
    gets += value + " = nlprt.get @" + symbol + " : " + memref + "\n";
    names[side] += (names[side].empty() ? "" : ", ") + value;
    types[side] += (types[side].empty() ? "" : ", ") + memref;
  };
  for (auto [number, tensor] : llvm::enumerate(launch.ins))
    add(0, number, tensor.type);
  for (auto [number, type] : llvm::enumerate(launch.outTypes))
    add(1, number, type);
  text += "nlprt.routine @main kind forward {\n" + gets;
  text += launch.body.empty() ? "nlprt.launch \"" + launch.kernel + "\""
                              : "nlprt.pointwise";
  text += "(" + names[0] + ") to(" + names[1] + ")";
  if (!launch.params.empty())
    text += " {params = {" + launch.params + "}}";
  text += " : (" + types[0] + ") -> (" + types[1] + ")";
  if (!launch.body.empty()) {
    text += " {\n^bb0(";
    for (auto [number, tensor] : llvm::enumerate(launch.ins)) {
      std::string element = tensor.type.substr(tensor.type.rfind('x') + 1);
      text += (number ? ", %" : "%") + std::to_string(number) + ": " + element;
    }
    text += "):\n" + launch.body + "\n}";
  }
  return text + "\n}\n}\n";
}

/// Gives the launch its workspace and every buffer a place, 64 guard bytes
/// after each.
static void place(rt::ProgramOp program) {
  Builder b(program.getContext());
  int64_t next = 64;
  auto take = [&](Type type) {
    int64_t offset = next;
    next += llvm::alignTo(rt::getBufferBytes(cast<MemRefType>(type)), 64) + 64;
    return offset;
  };
  program.walk([&](rt::LaunchOp launch) {
    int64_t bytes = *rt::getKernelWorkspaceBytes(launch, 2);
    if (!bytes)
      return;
    OpBuilder at(launch);
    auto type = MemRefType::get({bytes}, b.getI8Type());
    auto alloc = rt::AllocOp::create(at, launch.getLoc(), type,
                                     rt::Category::Workspace, IntegerAttr());
    launch.getOutsMutable().append(alloc.getResult());
  });
  program.walk([&](rt::BufferOp buffer) {
    buffer.setOffsetsAttr(b.getDenseI64ArrayAttr({take(buffer.getType())}));
  });
  program.walk([&](rt::AllocOp alloc) {
    alloc.setOffset(take(alloc.getResult().getType()));
  });
  program.setArenaBytesAttr(b.getI64IntegerAttr(next));
}

struct CompiledLaunch::Code {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

CompiledLaunch::~CompiledLaunch() = default;

CompiledLaunch::CompiledLaunch(const Launch &launch, const std::string &cpu)
    : launch(launch) {
  MLIRContext &context = getContext();
  std::string text = getProgramText(launch);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "does not parse:\n" << text;
    return;
  }
  place(*module->getOps<rt::ProgramOp>().begin());
  PassManager passes(&context);
  passes.addPass(createConvertNLPRTToLLVM());
  CodeOptions options;
  options.cpu = cpu;
  auto machine = createTargetMachine(module->getLoc(), options);
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated;
  if (succeeded(passes.run(*module)))
    translated =
        translateAndOptimize(*module, options, **machine, *llvmContext);
  if (!translated) {
    ADD_FAILURE() << "does not compile:\n" << text;
    return;
  }
  code = std::make_unique<Code>();
  code->jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::orc::SymbolMap symbols;
  symbols[code->jit->mangleAndIntern("nlprt_parallel")] = {
      llvm::orc::ExecutorAddr::fromPtr(&forward), llvm::JITSymbolFlags()};
  auto &library = code->jit->getMainJITDylib();
  llvm::cantFail(library.define(llvm::orc::absoluteSymbols(symbols)));
  llvm::cantFail(code->jit->addIRModule(llvm::orc::ThreadSafeModule(
      std::move(translated), std::move(llvmContext))));
  program = llvm::cantFail(code->jit->lookup("nlprt_compiled_program"))
                .toPtr<const nlprt_program *>();
}

int64_t CompiledLaunch::getArenaBytes() const { return program->arena_bytes; }

int64_t CompiledLaunch::getOffset(const std::string &name) const {
  for (int64_t i = 0; i < program->state_count; ++i)
    if (name == program->states[i].name)
      return program->states[i].offset;
  ADD_FAILURE() << "no buffer " << name;
  return 0;
}

int64_t CompiledLaunch::getInOffset(unsigned number) const {
  return getOffset("in" + std::to_string(number));
}

int64_t CompiledLaunch::getOutOffset(unsigned number) const {
  for (auto [out, in] : launch.shared)
    if (out == number)
      return getInOffset(in);
  return getOffset("out" + std::to_string(number));
}

int CompiledLaunch::run(char *arena, void *parallel) const {
  return program->segments[0].run(static_cast<nlprt_context *>(parallel), arena,
                                  0);
}

std::vector<Tensor> nlp::test::run(const Launch &launch,
                                   const std::string &cpu) {
  std::vector<Tensor> outs;
  CompiledLaunch compiled(launch, cpu);
  if (!compiled.isValid())
    return outs;
  for (int64_t cut : {1, 2, 5}) {
    parts = cut;
    std::vector<char> memory(compiled.getArenaBytes() + 64, 0x5a);
    char *arena = reinterpret_cast<char *>(
        llvm::alignTo(reinterpret_cast<uintptr_t>(memory.data()), 64));
    for (auto [number, in] : llvm::enumerate(launch.ins))
      std::memcpy(arena + compiled.getInOffset(number), in.bytes.data(),
                  in.bytes.size());
    EXPECT_EQ(compiled.run(arena, reinterpret_cast<void *>(&cutParts)),
              NLPRT_OK);
    std::vector<Tensor> results;
    for (auto [number, type] : llvm::enumerate(launch.outTypes)) {
      Tensor result(type);
      std::memcpy(result.bytes.data(), arena + compiled.getOutOffset(number),
                  result.bytes.size());
      results.push_back(result);
    }
    for (int64_t i = 0; i < compiled.program->state_count; ++i) {
      const nlprt_tensor &state = compiled.program->states[i];
      for (int64_t guard = 0; guard < 64; ++guard)
        EXPECT_EQ(arena[state.offset + state.bytes + guard], 0x5a)
            << launch.kernel << " wrote beyond " << state.name;
    }
    if (outs.empty())
      outs = results;
    for (auto [first, now] : llvm::zip_equal(outs, results))
      EXPECT_TRUE(first.bytes == now.bytes)
          << launch.kernel << " depends on how items are spread";
  }
  return outs;
}

uint16_t nlp::test::toBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value)
    return (bits >> 16) | 0x40;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

float nlp::test::fromBF16(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  std::memcpy(&result, &bits, 4);
  return result;
}

std::vector<float> nlp::test::randomFloats(size_t count, float low, float high,
                                           uint64_t seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = low + (high - low) * (nlprt_draw(seed, i) / 4294967296.0f);
  return values;
}

double nlp::test::relativeError(const std::vector<float> &a,
                                const std::vector<double> &b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0.0, norm = 0.0;
  for (size_t i = 0; i < b.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(difference / (norm > 0.0 ? norm : 1.0));
}
