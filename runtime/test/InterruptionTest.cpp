//===- InterruptionTest.cpp - Runs that end early, runs that meet ---------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever ends a run and whenever, the next one goes on from a whole
// checkpoint to the bits of a run that nothing ended.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

using namespace nlprt::test;
using Names = std::vector<std::string>;

class InterruptionTest : public testing::Test {
protected:
  InterruptionTest() {
    text = folder.write("text", std::string(3000, 'a') + std::string(999, 'b'));
  }

  Names withCheckpoints(const char *steps) const {
    return {"--data=" + text,
            std::string("--steps=") + steps,
            "--lr=1",
            "--threads=1",
            "--resume",
            "--checkpoint-every=1",
            "--checkpoint-dir=" + (folder / "c"),
            "--save=" + (folder / "w.safetensors")};
  }

  /// Waits, for a minute at most, until a checkpoint is there.
  bool waitForCheckpoint() const {
    for (int i = 0; i < 6000; ++i) {
      std::error_code ignored;
      for (const auto &entry :
           std::filesystem::directory_iterator(folder / "c", ignored))
        if (entry.path().filename().string().starts_with("step-"))
          return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  TemporaryFolder folder;
  std::string text;
};

TEST_F(InterruptionTest, OneRunAtATimeInAFolder) {
  RunningTrain first(withCheckpoints("100000000"));
  ASSERT_TRUE(waitForCheckpoint());
  RunResult second = train(withCheckpoints("5"));
  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(second.errors, "nlprt-fake-train: error: " + (folder / "c") +
                               ": another run writes its checkpoints here: "
                               "wait for its end, or name another folder\n");
  first.signal(SIGTERM);
  RunResult ended = first.wait();
  EXPECT_EQ(ended.code, 75) << ended.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "c/.lock"));
}

TEST_F(InterruptionTest, KilledWhileItSaves) {
  ASSERT_EQ(train({"--data=" + text, "--steps=40", "--lr=1", "--threads=1",
                   "--save=" + (folder / "whole.safetensors")})
                .code,
            0);
  // Nearly all of a run's time goes into its checkpoints, one each step.
  for (int round = 0; round < 10; ++round) {
    RunningTrain part(withCheckpoints("40"));
    std::this_thread::sleep_for(std::chrono::milliseconds(40 + 23 * round));
    part.signal(SIGKILL);
    RunResult killed = part.wait();
    EXPECT_TRUE(killed.code == 128 + SIGKILL || killed.code == 0)
        << killed.code << ": " << killed.errors;
  }
  RunResult last = train(withCheckpoints("40"));
  EXPECT_EQ(last.code, 0) << last.errors;
  EXPECT_EQ(readFile(folder / "w.safetensors"),
            readFile(folder / "whole.safetensors"));
  EXPECT_EQ(folder.list("c"), (Names{"step-00000039", "step-00000040"}));
}
