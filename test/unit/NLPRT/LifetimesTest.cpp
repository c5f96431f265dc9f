//===- LifetimesTest.cpp - Lifetimes and reports of small programs --------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace nlp::rt;

namespace {
class Lifetimes : public ::testing::Test {
protected:
  Lifetimes() { context.loadDialect<NLPRTDialect>(); }

  ProgramOp parse(const std::string &runs, const std::string &body) {
    module = parseSourceString<ModuleOp>(
        "nlprt.program @step attributes {model = \"\", global_batch = 1, "
        "micro_batch = 1, seq_len = 1, vocab_size = 1, threads = 1, "
        "arena_bytes = 1024, runs = [" +
            runs + "]} {\n" + body + "}\n",
        &context);
    return module ? *module->getOps<ProgramOp>().begin() : ProgramOp();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

/// `b [1, 4)` for each buffer, in order.
static std::string print(const ProgramLifetimes &lifetimes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const BufferLifetime &buffer : lifetimes.buffers) {
    if (auto declared = dyn_cast<BufferOp>(buffer.op))
      os << declared.getSymName();
    else
      os << "alloc";
    if (buffer.instance > 0)
      os << '#' << buffer.instance;
    for (auto [begin, end] : buffer.live)
      os << " [" << begin << ", " << end << ")";
    os << '\n';
  }
  return text;
}

// Positions are ops of runs, whatever they are: 0 and 1 the routine's get and
// alloc, 2 the fill, 3 the copy.
TEST_F(Lifetimes, OfOneRun) {
  ProgramOp program = parse("#nlprt.run<@f, 0>", R"(
    nlprt.buffer @p : memref<16xf32> kind parameter category parameters
    nlprt.buffer @s : memref<16xf32> kind slot category activations
    nlprt.buffer @unused : memref<16xf32> kind slot category activations
    nlprt.routine @f kind forward {
      %s = nlprt.get @s : memref<16xf32>
      %a = nlprt.alloc transients : memref<16xf32>
      nlprt.launch "fill"() to(%a) : () -> memref<16xf32>
      nlprt.launch "copy"(%a) to(%s) : (memref<16xf32>) -> memref<16xf32>
    })");
  ASSERT_TRUE(program);
  ProgramLifetimes lifetimes = getLifetimes(program);
  EXPECT_EQ(lifetimes.ops.size(), 4u);
  EXPECT_EQ(print(lifetimes), "p [0, 4)\ns [3, 4)\nunused\nalloc [2, 4)\n");
}

// F0 F1 B0 B1: f has two ops, b three. Micro-batch 1 uses instance 1.
TEST_F(Lifetimes, OfSlots) {
  const char *body = R"(
    nlprt.buffer @s : memref<16xf32> kind slot category activations
        {instances = 2}
    nlprt.routine @f kind forward {
      %s = nlprt.get @s : memref<16xf32>
      nlprt.launch "fill"() to(%s) : () -> memref<16xf32>
    }
    nlprt.routine @b kind backward {
      %s = nlprt.get @s : memref<16xf32>
      %a = nlprt.alloc transients : memref<16xf32>
      nlprt.launch "copy"(%s) to(%a) : (memref<16xf32>) -> memref<16xf32>
    })";
  ProgramOp together = parse("#nlprt.run<@f, 0>, #nlprt.run<@f, 1>, "
                             "#nlprt.run<@b, 0>, #nlprt.run<@b, 1>",
                             body);
  ASSERT_TRUE(together);
  // F0 at 0, F1 at 2, B0 at 4, B1 at 7.
  EXPECT_EQ(print(getLifetimes(together)),
            "s [1, 7)\ns#1 [3, 10)\nalloc [6, 7) [9, 10)\n");
  // F0 B0 F1 B1: at 0, 2, 5 and 7.
  ProgramOp inTurn = parse("#nlprt.run<@f, 0>, #nlprt.run<@b, 0>, "
                           "#nlprt.run<@f, 1>, #nlprt.run<@b, 1>",
                           body);
  EXPECT_EQ(print(getLifetimes(inTurn)),
            "s [1, 5)\ns#1 [6, 10)\nalloc [4, 5) [9, 10)\n");
}

// An accumulator holds something from its first addition to its last use, in
// whatever run; an input from the start of each run that names it.
TEST_F(Lifetimes, OfAccumulatorsAndInputs) {
  ProgramOp program = parse("#nlprt.run<@b, 0>, #nlprt.run<@b, 1>, "
                            "#nlprt.run<@u, 0>",
                            R"(
    nlprt.buffer @g : memref<16xf32> kind accumulator category gradients
    nlprt.buffer @i : memref<16xf32> kind input category activations
    nlprt.routine @b kind backward {
      %g = nlprt.get @g : memref<16xf32>
      %i = nlprt.get @i : memref<16xf32>
      nlprt.accumulate first(%i) to(%g) : (memref<16xf32>) -> memref<16xf32>
    }
    nlprt.routine @u kind update {
      %i = nlprt.get @i : memref<16xf32>
      %g = nlprt.get @g : memref<16xf32>
      nlprt.launch "copy"(%g) to(%g) : (memref<16xf32>) -> memref<16xf32>
    })");
  ASSERT_TRUE(program);
  // The last run names the input without reading it: position 6 is its get.
  EXPECT_EQ(print(getLifetimes(program)), "g [2, 9)\ni [0, 7)\n");
}

// Evaluation comes behind all runs.
TEST_F(Lifetimes, OfEvaluation) {
  ProgramOp program = parse("#nlprt.run<@f, 0>", R"(
    nlprt.routine @e kind evaluate {
      %a = nlprt.alloc transients : memref<16xf32>
      nlprt.launch "fill"() to(%a) : () -> memref<16xf32>
    }
    nlprt.routine @f kind forward {
      %a = nlprt.alloc transients : memref<16xf32>
      nlprt.launch "fill"() to(%a) : () -> memref<16xf32>
    })");
  ASSERT_TRUE(program);
  EXPECT_EQ(print(getLifetimes(program)), "alloc [3, 4)\nalloc [1, 2)\n");
}

// 64 bytes of a parameter, 128 of an activation and 256 of a workspace are live
// at the copy; the fill before it has no workspace yet. 1024 - 448 are left.
TEST_F(Lifetimes, Report) {
  ProgramOp program = parse("#nlprt.run<@f, 0>", R"(
    nlprt.buffer @p : memref<16xf32> kind parameter category parameters
    nlprt.routine @f kind forward {
      %a = nlprt.alloc activations : memref<32xf32>
      %w = nlprt.alloc workspace : memref<256xi8>
      %p = nlprt.get @p : memref<16xf32>
      nlprt.launch "fill"() to(%a) : () -> memref<32xf32>
      nlprt.launch "copy"(%a) to(%p, %w) : (memref<32xf32>) -> (memref<16xf32>, memref<256xi8>)
    })");
  ASSERT_TRUE(program);
  MemoryReport report = getMemoryReport(program);
  EXPECT_EQ(report.arenaBytes, 1024);
  auto bytes = [&](Category category) {
    return report.bytes[static_cast<int64_t>(category)];
  };
  EXPECT_EQ(bytes(Category::Parameters), 64);
  EXPECT_EQ(bytes(Category::Activations), 128);
  EXPECT_EQ(bytes(Category::Workspace), 256);
  EXPECT_EQ(bytes(Category::Gradients), 0);
  EXPECT_EQ(report.fragmentationBytes, 576);
  auto launch = dyn_cast_or_null<LaunchOp>(report.at);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch.getKernel(), "copy");
  ASSERT_EQ(report.largest.size(), 3u);
  EXPECT_EQ(report.largest.front().bytes, 256);
  EXPECT_EQ(report.largest.back().bytes, 64);
}

// A program without runs has nothing at its peak.
TEST_F(Lifetimes, ReportOfNothing) {
  ProgramOp program = parse("", "");
  ASSERT_TRUE(program);
  MemoryReport report = getMemoryReport(program);
  EXPECT_EQ(report.at, nullptr);
  EXPECT_EQ(report.fragmentationBytes, 1024);
  EXPECT_TRUE(report.largest.empty());
}
