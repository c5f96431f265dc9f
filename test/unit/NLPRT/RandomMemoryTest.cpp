//===- RandomMemoryTest.cpp - Memory planning on random programs ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArenaMachine.h"
#include "RandomProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"
#include "nlp/Dialect/NLPRT/Transforms/Passes.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace nlp::rt;

namespace {
class RandomMemory : public ::testing::Test {
protected:
  RandomMemory() : handler(&context, [](Diagnostic &) {}) {
    context.loadDialect<NLPRTDialect>();
    context.disableMultithreading();
  }

  OwningOpRef<ModuleOp> make(uint64_t seed) {
    return parseSourceString<ModuleOp>(makeRandomProgram(seed), &context);
  }

  /// Silent: errors are counted, not printed.
  bool succeeds(ModuleOp module, std::unique_ptr<Pass> pass) {
    PassManager pm(&context);
    pm.addPass(std::move(pass));
    return mlir::succeeded(pm.run(module));
  }

  bool plan(ModuleOp module) {
    PlanMemoryOptions options;
    options.searchWork = 1000000;
    return succeeds(module, createPlanMemory(options));
  }

  MLIRContext context;
  ScopedDiagnosticHandler handler;
};
} // namespace

static ProgramOp getProgram(ModuleOp module) {
  return *module.getOps<ProgramOp>().begin();
}

static uint64_t compute(ModuleOp module, bool inArena) {
  return ArenaMachine(getProgram(module), inArena).run();
}

TEST_F(RandomMemory, PlansComputeWhatIsMeant) {
  int64_t shared = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    OwningOpRef<ModuleOp> module = make(seed);
    ASSERT_TRUE(module) << makeRandomProgram(seed);
    uint64_t meant = compute(*module, /*inArena=*/false);
    ASSERT_NE(meant, 0u) << "seed " << seed;
    int64_t before = 0, after = 0;
    module->walk([&](AllocOp) { ++before; });
    ASSERT_TRUE(succeeds(*module, createShareBuffers()));
    module->walk([&](AllocOp) { ++after; });
    shared += before - after;
    EXPECT_EQ(compute(*module, /*inArena=*/false), meant) << "seed " << seed;
    ASSERT_TRUE(plan(*module));
    EXPECT_EQ(compute(*module, /*inArena=*/true), meant) << "seed " << seed;
    EXPECT_TRUE(succeeds(*module, createVerifyMemory())) << "seed " << seed;
  }
  EXPECT_GT(shared, 300); // about one a program at least
}

/// Moves one buffer, or one instance, to another place in the arena.
static void damage(ProgramOp program, std::mt19937_64 &random) {
  SmallVector<std::pair<Operation *, int64_t>> places;
  program.walk([&](Operation *op) {
    if (auto buffer = dyn_cast<BufferOp>(op))
      for (size_t i = 0; i < buffer.getOffsets()->size(); ++i)
        places.push_back({op, static_cast<int64_t>(i)});
    if (isa<AllocOp>(op))
      places.push_back({op, 0});
  });
  auto [op, instance] = places[random() % places.size()];
  auto buffer = dyn_cast<BufferOp>(op);
  Type type =
      buffer ? buffer.getType() : cast<AllocOp>(op).getResult().getType();
  int64_t room = static_cast<int64_t>(*program.getArenaBytes()) -
                 getBufferBytes(cast<MemRefType>(type));
  int64_t offset = 64 * static_cast<int64_t>(
                            random() % static_cast<uint64_t>(room / 64 + 1));
  if (!buffer)
    return cast<AllocOp>(op).setOffset(offset);
  SmallVector<int64_t> offsets(*buffer.getOffsets());
  offsets[instance] = offset;
  buffer.setOffsets(offsets);
}

// The check accepts a place if and only if nothing that is read changes.
TEST_F(RandomMemory, CheckFindsWhatMatters) {
  int64_t accepted = 0, rejected = 0;
  for (uint64_t seed = 1000; seed < 1200; ++seed) {
    std::mt19937_64 random(seed);
    OwningOpRef<ModuleOp> planned = make(seed);
    ASSERT_TRUE(planned);
    uint64_t meant = compute(*planned, /*inArena=*/false);
    ASSERT_TRUE(succeeds(*planned, createShareBuffers()) && plan(*planned));
    for (int i = 0; i < 10; ++i) {
      OwningOpRef<ModuleOp> module = planned->clone();
      damage(getProgram(*module), random);
      bool good = compute(*module, /*inArena=*/true) == meant;
      EXPECT_EQ(succeeds(*module, createVerifyMemory()), good)
          << "seed " << seed << ", damage " << i;
      ++(good ? accepted : rejected);
    }
  }
  // Both happen often.
  EXPECT_GT(accepted, 200);
  EXPECT_GT(rejected, 200);
}

// The report adds up to the arena, whatever fills it.
TEST_F(RandomMemory, ReportAddsUp) {
  for (uint64_t seed = 2000; seed < 2100; ++seed) {
    OwningOpRef<ModuleOp> module = make(seed);
    ASSERT_TRUE(plan(*module));
    MemoryReport report = getMemoryReport(getProgram(*module));
    int64_t sum = report.fragmentationBytes;
    for (int64_t bytes : report.bytes)
      sum += bytes;
    EXPECT_EQ(sum, report.arenaBytes);
    EXPECT_GE(report.fragmentationBytes, 0);
    ASSERT_FALSE(report.largest.empty());
    EXPECT_LE(report.largest.size(), 10u);
    for (size_t i = 1; i < report.largest.size(); ++i)
      EXPECT_GE(report.largest[i - 1].bytes, report.largest[i].bytes);
  }
}
