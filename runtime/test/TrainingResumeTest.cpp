//===- TrainingResumeTest.cpp - Runs that go on from files -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checkpoints are written, kept, skipped and resumed from; weights are read.
//
//===----------------------------------------------------------------------===//

#include "TrainingRun.h"

using namespace nlprt::test;

TEST_F(TrainingTest, InterruptAndResume) {
  ASSERT_EQ(run({"--steps=30", option("metrics", "whole"),
                 option("save", "whole.safetensors"), "--data-order=shuffled"})
                .code,
            0);
  for (const char *step : {"1", "13", "29"}) {
    std::string name = std::string("part") + step;
    Names arguments = {"--steps=30", option("metrics", name),
                       option("checkpoint-dir", name + ".d"),
                       option("save", name + ".safetensors"),
                       "--data-order=shuffled"};
    RunResult stopped = run(arguments, {{"FAKE_SIGNAL_AT", step}});
    EXPECT_EQ(stopped.code, 75) << stopped.errors;
    EXPECT_TRUE(contains(stopped.errors, "add --resume"));
    EXPECT_EQ(losses(name).size(), size_t(std::stoi(step)));
    arguments.push_back("--resume");
    RunResult resumed = run(arguments);
    EXPECT_EQ(resumed.code, 0) << resumed.errors;
    EXPECT_EQ(resumed.errors, "");
    EXPECT_EQ(losses(name), losses("whole"));
    EXPECT_EQ(readFile(folder / (name + ".safetensors")),
              readFile(folder / "whole.safetensors"));
  }
}

TEST_F(TrainingTest, SignalWithoutCheckpoints) {
  RunResult result = run({"--steps=30"}, {{"FAKE_SIGNAL_AT", "3"}});
  EXPECT_EQ(result.code, 1); // there is nothing to go on from
  EXPECT_TRUE(contains(result.errors, "nothing saved"));
}

TEST_F(TrainingTest, KeepsTwoCheckpoints) {
  ASSERT_EQ(
      run({"--steps=25", "--checkpoint-every=5", option("checkpoint-dir", "c")})
          .code,
      0);
  EXPECT_EQ(folder.list("c"), (Names{"step-00000020", "step-00000025"}));
  EXPECT_EQ(folder.list("c/step-00000025"),
            (Names{"run.json", "state.safetensors", "weights.safetensors"}));
  RunResult fresh = run({"--steps=30", option("checkpoint-dir", "c")});
  EXPECT_EQ(fresh.code, 1);
  EXPECT_TRUE(contains(fresh.errors, "step 25: add --resume"));
}

TEST_F(TrainingTest, SkipsDamagedCheckpoints) {
  Names arguments = {"--steps=20", "--checkpoint-every=10",
                     option("checkpoint-dir", "c"), option("metrics", "m")};
  ASSERT_EQ(run(arguments).code, 0);
  Names whole = losses("m");
  std::string path = folder / "c/step-00000020/state.safetensors";
  std::string content = readFile(path);
  content[content.size() / 2] ^= 1;
  folder.write("c/step-00000020/state.safetensors", content);
  arguments.push_back("--resume");
  RunResult result = run(arguments);
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(contains(result.errors, "skipped a damaged checkpoint"));
  EXPECT_TRUE(contains(result.output, "goes on after step 10"));
  EXPECT_EQ(losses("m"), whole);
  for (const char *step : {"10", "20"})
    folder.write(std::string("c/step-000000") + step + "/run.json", "{");
  EXPECT_EQ(run(arguments).code, 1);
}

TEST_F(TrainingTest, ResumeWithOtherSettingsWarns) {
  Names arguments = {"--steps=10", option("checkpoint-dir", "c")};
  ASSERT_EQ(run(arguments).code, 0);
  RunResult result = run(
      {"--steps=20", option("checkpoint-dir", "c"), "--resume", "--seed=2"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(contains(result.errors, "--steps 20; until step 10 it was 10"));
  EXPECT_TRUE(contains(result.errors, "--seed 2; until step 10 it was 1"));
}

TEST_F(TrainingTest, ResumeWithoutACheckpointBegins) {
  RunResult result =
      run({"--steps=3", option("checkpoint-dir", "new/c"), "--resume"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "nlprt-fake-train: no checkpoint in " +
                               (folder / "new/c") + ": starting at step 1\n");
}

TEST_F(TrainingTest, ResumeAtTheEndHasNothingToDo) {
  ASSERT_EQ(run({"--steps=12", option("checkpoint-dir", "c"),
                 option("save", "w.safetensors")})
                .code,
            0);
  RunResult result = run({"--steps=10", option("checkpoint-dir", "c"),
                          "--resume", option("save", "again.safetensors")});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(
      contains(result.output, "nothing to do: step 12 of 10 is done\n"));
  EXPECT_FALSE(contains(result.output, "steps"));
  EXPECT_EQ(readFile(folder / "w.safetensors"),
            readFile(folder / "again.safetensors"));
}

TEST_F(TrainingTest, ResumeDoesNotReadWeights) {
  Names arguments = {"--steps=5", option("checkpoint-dir", "c"),
                     option("weights", "none.safetensors"), "--resume"};
  EXPECT_EQ(run(arguments).code, 1); // no checkpoint: they would be read
  ASSERT_EQ(run({"--steps=5", option("checkpoint-dir", "c")}).code, 0);
  RunResult result = run(arguments);
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(contains(result.errors,
                       "warning: --weights is not read: the weights are those "
                       "of the checkpoint of step 5"));
}

TEST_F(TrainingTest, StartsFromWeights) {
  ASSERT_EQ(run({"--steps=50", option("save", "w.safetensors")}).code, 0);
  ASSERT_EQ(run({"--steps=1", option("weights", "w.safetensors"),
                 option("metrics", "m")})
                .code,
            0);
  EXPECT_LT(metrics("m")[0]["loss"].get<double>(), 4.5);
  RunResult result = run({"--steps=1", "--weights=" + text});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.errors, "truncated or damaged"));
}
