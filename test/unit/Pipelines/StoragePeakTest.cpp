//===- StoragePeakTest.cpp - The solver's peak is that of the arena -------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every plan of small models is carried out and lowered. What is live at most
// in its forward and backward pass, counted from the buffers of the program, is
// the peak that the solver counted, to the byte.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Lifetimes.h"
#include "nlp/Import/LoadModel.h"
#include "nlp/Pipelines/ModelOptions.h"
#include "nlp/Pipelines/StepVariant.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace nlp;

namespace {
struct Shape {
  const char *config;
  int64_t seqLen, globalBatch, microBatch, lossChunks;
};
} // namespace

static constexpr const char *gpt2 = R"({"model_type": "gpt2", "n_embd": 24,
  "n_layer": 3, "n_head": 2, "n_positions": 64, "vocab_size": 131,
  "activation_function": "gelu_new"})";
static constexpr const char *llama = R"({"model_type": "llama",
  "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
  "num_key_value_heads": 2, "intermediate_size": 67, "vocab_size": 131,
  "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
  "hidden_act": "silu", "tie_word_embeddings": false})";

static OwningOpRef<ModuleOp> load(const Shape &shape, MLIRContext *context) {
  llvm::SmallString<128> folder;
  EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("storage-peak", folder));
  llvm::SmallString<128> path = folder;
  llvm::sys::path::append(path, "config.json");
  {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    EXPECT_FALSE(error);
    file << shape.config;
  }
  ImportOptions options;
  options.seqLen = shape.seqLen;
  options.globalBatch = shape.globalBatch;
  llvm::Expected<OwningOpRef<ModuleOp>> module =
      loadModel(path, options, context);
  llvm::sys::fs::remove_directories(folder);
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError());
    return {};
  }
  return std::move(*module);
}

/// What is live at most while the passes run, in units of the arena.
static int64_t getLivePeak(rt::ProgramOp program) {
  rt::ProgramLifetimes lifetimes = rt::getLifetimes(program);
  std::vector<int64_t> change(lifetimes.ops.size() + 1, 0);
  for (const rt::BufferLifetime &buffer : lifetimes.buffers)
    for (auto [begin, end] : buffer.live) {
      change[begin] += llvm::alignTo(buffer.bytes, 64);
      change[end] -= llvm::alignTo(buffer.bytes, 64);
    }
  int64_t live = 0, peak = 0;
  for (auto [position, op] : llvm::enumerate(lifetimes.ops)) {
    live += change[position];
    auto routine = op->getParentOfType<rt::RoutineOp>();
    if (routine.getKind() == rt::RoutineKind::ForwardBackward)
      peak = std::max(peak, live);
  }
  return peak;
}

/// The peak of a schedule as the checker of the solver's answers counts it.
static int64_t replay(const solver::RecomputeProblem &problem,
                      std::vector<solver::ScheduledOp> schedule) {
  solver::RecomputeSolution solution;
  solution.schedule = std::move(schedule);
  solution.peakBytes = -1;
  std::string message = solution.verify(problem).value_or("");
  long peakBytes = -1;
  EXPECT_EQ(std::sscanf(message.c_str(), "expected a peak of %ld", &peakBytes),
            1)
      << message;
  return peakBytes;
}

/// With `asksPool`, only whether the pool says no less than the schedule has.
static void comparePeaks(const Shape &shape, bool asksPool) {
  std::unique_ptr<MLIRContext> context = createContext();
  OwningOpRef<ModuleOp> module = load(shape, context.get());
  ASSERT_TRUE(bool(module));
  PlanRequest request;
  request.machine = llvm::cantFail(loadMachine(NLP_MACHINE_FILE));
  request.threads = 2;
  llvm::cantFail(lowerToJoint(*module, request));
  StepVariant variant = llvm::cantFail(StepVariant::create(
      *module, request, shape.microBatch, shape.lossChunks));
  ASSERT_TRUE(variant.hasChoices());
  auto compare = [&](const StepVariant::StoragePlan *plan, int64_t peakBytes) {
    PlannedStep step = llvm::cantFail(variant.evaluate(plan));
    EXPECT_EQ(getLivePeak(*step.runtime->getOps<rt::ProgramOp>().begin()),
              peakBytes)
        << (plan ? plan->number : -1);
  };
  compare(nullptr, variant.getKeepAllBytes());
  for (const StepVariant::StoragePlan &plan : variant.getPlans()) {
    int64_t peakBytes =
        replay(variant.getProblem().program, variant.getSchedule(plan));
    if (asksPool)
      EXPECT_LE(peakBytes, plan.peakBytes) << plan.number;
    else
      compare(&plan, peakBytes);
  }
}

static void compareAll(bool asksPool) {
  for (const char *config : {gpt2, llama})
    for (int64_t chunks : {1, 4})
      for (int64_t microBatch : {1, 2}) {
        SCOPED_TRACE(std::string(config) + ", chunks " +
                     std::to_string(chunks) + ", micro-batch " +
                     std::to_string(microBatch));
        comparePeaks({config, 40, 2, microBatch, chunks}, asksPool);
      }
}

TEST(StoragePeak, IsThatOfTheArena) { compareAll(/*asksPool=*/false); }

// Open: docs/Status.md.
TEST(StoragePeak, DISABLED_IsNoMoreThanThePoolSays) {
  compareAll(/*asksPool=*/true);
}
