//===- ExecutableTest.cpp - Compile, link and run ---------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Target/Executable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "nlp/Conversion/Passes.h"
#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace nlp;

/// Three micro-batches: double the parameter into a slot of two instances, add
/// the slot up in an accumulator, report the sum of its one element.
static const char *program = R"(
nlprt.program @step attributes {
    model = "tiny", global_batch = 3, micro_batch = 1, seq_len = 1,
    vocab_size = 1, threads = 1, arena_bytes = 448,
    runs = [#nlprt.run<@forward, 0>, #nlprt.run<@forward, 1>,
            #nlprt.run<@backward, 0>, #nlprt.run<@forward, 2>,
            #nlprt.run<@backward, 1>, #nlprt.run<@backward, 2>]} {
  nlprt.buffer @p : memref<1xf32> kind parameter category parameters
      {offsets = array<i64: 0>}
  nlprt.buffer @slot : memref<1xf32> kind slot category activations
      {instances = 2 : i64, offsets = array<i64: 64, 128>}
  nlprt.buffer @sum : memref<1xf32> kind accumulator category gradients
      {offsets = array<i64: 192>}
  nlprt.buffer @loss : memref<f32> kind figure category transients
      {offsets = array<i64: 256>}
  nlprt.routine @forward kind forward {
    %p = nlprt.get @p : memref<1xf32>
    %s = nlprt.get @slot : memref<1xf32>
    nlprt.pointwise(%p) to(%s) {flops = 1 : i64}
        : (memref<1xf32>) -> memref<1xf32> {
    ^bb0(%a: f32):
      %0 = arith.addf %a, %a : f32
      nlprt.yield %0 : f32
    } loc("h.0.mlp")
  }
  nlprt.routine @backward kind backward {
    %s = nlprt.get @slot : memref<1xf32>
    %sum = nlprt.get @sum : memref<1xf32>
    nlprt.accumulate first(%s) to(%sum) : (memref<1xf32>) -> memref<1xf32>
    %scalar = nlprt.view %sum : memref<1xf32> to memref<f32>
    %loss = nlprt.get @loss : memref<f32>
    %t = nlprt.alloc transients {offset = 320} : memref<f32>
    nlprt.launch "fill"() to(%t) {params = {value = 0.5}}
        : () -> memref<f32>
    nlprt.pointwise(%scalar, %t) to(%loss)
        : (memref<f32>, memref<f32>) -> memref<f32> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      nlprt.yield %0 : f32
    }
  }
}
)";

namespace {
struct Outcome {
  bool linked;
  int status = -1;
  std::string out, error;
};
} // namespace

static std::string read(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

static Outcome compileAndRun(CodeOptions code, LinkOptions link,
                             std::string *diagnostics = nullptr) {
  MLIRContext context;
  context
      .loadDialect<rt::NLPRTDialect, arith::ArithDialect, math::MathDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostics)
      *diagnostics += diagnostic.str();
    return success(diagnostics);
  });
  Outcome outcome = {false, -1, "", ""};
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  PassManager passes(&context);
  passes.addPass(createConvertNLPRTToLLVM());
  if (!module || failed(passes.run(*module)))
    return outcome;
  SmallString<128> path, out, error;
  llvm::sys::fs::createTemporaryFile("train", "", path);
  llvm::sys::fs::createTemporaryFile("out", "txt", out);
  llvm::sys::fs::createTemporaryFile("error", "txt", error);
  outcome.linked = succeeded(writeExecutable(*module, code, link, path));
  if (outcome.linked) {
    outcome.status = llvm::sys::ExecuteAndWait(
        path, {path}, std::nullopt,
        {std::nullopt, StringRef(out), StringRef(error)});
    outcome.out = read(out);
    outcome.error = read(error);
  }
  for (StringRef file : {StringRef(path), StringRef(out), StringRef(error)})
    llvm::sys::fs::remove(file);
  return outcome;
}

static LinkOptions getLinkOptions() {
  LinkOptions options;
  options.runtimeLibrary = TINY_RUNTIME;
  options.libraries = {"-lm"};
  return options;
}

TEST(Executable, Runs) {
  Outcome outcome = compileAndRun({}, getLinkOptions());
  ASSERT_TRUE(outcome.linked);
  EXPECT_EQ(outcome.status, 0) << outcome.error;
  // 3 micro-batches of 2 each, and 0.5.
  EXPECT_EQ(outcome.out, "loss 6.5\n");
  EXPECT_NE(outcome.error.find("pointwise h.0.mlp 1 8\n"), std::string::npos)
      << outcome.error;
}

TEST(Executable, OtherCpu) {
  if (!llvm::Triple(llvm::sys::getProcessTriple()).isX86())
    GTEST_SKIP();
  for (const char *cpu : {"x86-64", "x86-64-v3"}) {
    CodeOptions code;
    code.cpu = cpu;
    EXPECT_EQ(compileAndRun(code, getLinkOptions()).out, "loss 6.5\n") << cpu;
  }
  if (llvm::sys::getHostCPUFeatures().lookup("avx512fp16"))
    return;
  CodeOptions code;
  code.features = "+avx512fp16";
  Outcome outcome = compileAndRun(code, getLinkOptions());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.error.find("error: expected a CPU"), std::string::npos);
}

TEST(Executable, Errors) {
  std::string diagnostics;
  CodeOptions code;
  code.cpu = "z80";
  EXPECT_FALSE(compileAndRun(code, getLinkOptions(), &diagnostics).linked);
  EXPECT_NE(diagnostics.find("but got 'z80'"), std::string::npos);

  LinkOptions link = getLinkOptions();
  link.runtimeLibrary = "missing.a";
  EXPECT_FALSE(compileAndRun({}, link, &diagnostics).linked);
  EXPECT_NE(diagnostics.find("runtime library at 'missing.a'"),
            std::string::npos);

  link = getLinkOptions();
  link.libraries.push_back("-lno_such_library");
  EXPECT_FALSE(compileAndRun({}, link, &diagnostics).linked);
  EXPECT_NE(diagnostics.find("no_such_library"), std::string::npos)
      << diagnostics;

  link.driver = "no-such-compiler";
  EXPECT_FALSE(compileAndRun({}, link, &diagnostics).linked);
  EXPECT_NE(diagnostics.find("no-such-compiler"), std::string::npos);
}
