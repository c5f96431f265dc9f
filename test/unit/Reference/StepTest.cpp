//===- StepTest.cpp - Steps, slots and data by hand -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "nlp/Reference/TrainingRun.h"
#include "nlp/Support/AtomicFile.h"
#include "nlprt/counter_random.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace nlp;
using namespace nlp::ref;

namespace {
class ReferenceStep : public testing::Test {
protected:
  ReferenceStep() { context.loadDialect<NLPDialect>(); }

  /// An interpreter of the module `text`.
  StepInterpreter parse(const char *text, uint64_t seed = 1) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    FailureOr<StepInterpreter> interpreter =
        StepInterpreter::create(*module, seed, Rounding::Narrow);
    EXPECT_TRUE(succeeded(interpreter));
    return *interpreter;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(ReferenceStep, InitialValues) {
  StepInterpreter interpreter = parse(R"(
    nlp.parameter @zero : tensor<2xf32> init zeros
    nlp.parameter @one : tensor<2xf32> init ones
    nlp.parameter @normal : tensor<3xf32> init normal scale 0.25
    nlp.step @s { nlp.segment @f kind forward { } })",
                                      7);
  NamedTensors &parameters = interpreter.getParameters();
  EXPECT_EQ(parameters["zero"].floats, (std::vector<double>{0, 0}));
  EXPECT_EQ(parameters["one"].floats, (std::vector<double>{1, 1}));
  uint64_t key = nlprt_mix(7, nlprt_hash_name("normal"));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(parameters["normal"][i],
              static_cast<float>(0.25 * nlprt_normal(key, i)));
}

// The forward segment saves its tokens in a slot for each micro-batch; the
// backward segment adds them, as rows of the table's gradient.
static const char *pipeline = R"(
  nlp.parameter @t : tensor<5x1xf32> init ones
  nlp.step @s attributes {schedule = [
      #nlp.run<@f, 0>, #nlp.run<@f, 1>, #nlp.run<@b, 1>, #nlp.run<@b, 0>,
      #nlp.run<@u, 0>]} {
    nlp.slot @loss : tensor<f32> {accumulate}
    nlp.slot @grad.t : tensor<5x1xf32> {accumulate, parameter = @t}
    nlp.slot @rows : tensor<1x2x1xf32>
    nlp.segment @f kind forward {
      %t = nlp.read @t : tensor<5x1xf32>
      %i = nlp.input tokens : tensor<1x2xi32>
      %r = nlp.embedding %t, %i : tensor<5x1xf32>, tensor<1x2xi32>
      nlp.slot_store @rows, %r : tensor<1x2x1xf32>
      %l = nlp.reduce_sum %r leading 3 : tensor<1x2x1xf32>
      nlp.slot_accumulate @loss, %l : tensor<f32>
    }
    nlp.segment @b kind backward {
      %r = nlp.slot_load @rows : tensor<1x2x1xf32>
      %i = nlp.input tokens : tensor<1x2xi32>
      %g = nlp.embedding_grad %r, %i rows 5
          : tensor<1x2x1xf32>, tensor<1x2xi32>
      nlp.slot_accumulate @grad.t, %g : tensor<5x1xf32>
    }
    nlp.segment @u kind update {
      %l = nlp.slot_load @loss : tensor<f32>
      nlp.report loss, %l : tensor<f32>
      %g = nlp.slot_load @grad.t : tensor<5x1xf32>
      %t = nlp.read @t : tensor<5x1xf32>
      %n = nlp.add %t, %g : tensor<5x1xf32>
      nlp.assign @t, %n : tensor<5x1xf32>
    }
  })";

TEST_F(ReferenceStep, SlotsAndSchedule) {
  StepInterpreter interpreter = parse(pipeline);
  EXPECT_EQ(interpreter.getSequences(), 2);
  EXPECT_EQ(interpreter.getLength(), 2);
  EXPECT_EQ(interpreter.getVocabulary(), 5);
  StepInput input;
  input.batch = {2, 2, {0, 3, 3, 4}, {3, 3, 4, 0}};
  FailureOr<Figures> figures = interpreter.run(input);
  ASSERT_TRUE(succeeded(figures));
  EXPECT_EQ(figures->loss, 4.0); // four ones
  EXPECT_EQ(interpreter.getGradients()["t"].floats,
            (std::vector<double>{1, 0, 0, 2, 1}));
  EXPECT_EQ(interpreter.getParameters()["t"].floats,
            (std::vector<double>{2, 1, 1, 3, 2}));
  // Slots start anew: 2 + 3 + 3 + 2, and nothing is assigned.
  FailureOr<double> loss = interpreter.computeLoss(input);
  ASSERT_TRUE(succeeded(loss));
  EXPECT_EQ(*loss, 10.0);
  EXPECT_EQ(interpreter.getParameters()["t"][0], 2.0);
}

TEST_F(ReferenceStep, LoadBeforeStore) {
  StepInterpreter interpreter = parse(R"(
    nlp.step @s attributes {schedule = [#nlp.run<@f, 0>]} {
      nlp.slot @x : tensor<1xf32>
      nlp.segment @f kind forward {
        %x = nlp.slot_load @x : tensor<1xf32>
      }
    })");
  EXPECT_TRUE(failed(interpreter.run(StepInput())));
}

TEST_F(ReferenceStep, RefusesModules) {
  for (const char *text :
       {"module {}", R"(
         nlp.step @a { nlp.segment @f kind forward { } }
         nlp.step @b { nlp.segment @f kind forward { } })",
        R"(nlp.step @a { nlp.segment @f kind forward {
             %x = nlp.input tokens : tensor<1x2xi32>
             %y = nlp.input targets : tensor<2x2xi32> } })",
        R"(nlp.step @a attributes {model = #nlp.model<name = "m",
               global_batch = 4, seq_len = 2, vocab_size = 3>} {
             nlp.segment @f kind forward {
               %x = nlp.input tokens : tensor<2x2xi32> } })"}) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    EXPECT_TRUE(failed(StepInterpreter::create(*module, 1, Rounding::Narrow)))
        << text;
  }
}

TEST_F(ReferenceStep, DataOrder) {
  // Seven tokens hold three sequences of two; the fourth is the first again.
  StepInterpreter interpreter = parse(pipeline);
  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tokens", "bin", path));
  const char bytes[] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 3, 0, 2, 0};
  ASSERT_FALSE(
      bool(writeFileAtomically(path, llvm::StringRef(bytes, sizeof(bytes)))));
  RunOptions options;
  options.data = path.str();
  llvm::Expected<TokenStream> stream = TokenStream::open(options, interpreter);
  ASSERT_TRUE(bool(stream));
  Batch first = stream->read(1), second = stream->read(2);
  EXPECT_EQ(first.tokens, (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(first.targets, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(second.tokens, (std::vector<int64_t>{4, 3, 0, 1}));
  EXPECT_EQ(second.targets, (std::vector<int64_t>{3, 2, 1, 2}));
  llvm::sys::fs::remove(path);
}
