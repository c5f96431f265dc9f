//===- TrainingErrorsTest.cpp - Runs that go wrong -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is wrong with input, disk, numbers or usage is said, and how runs end.
//
//===----------------------------------------------------------------------===//

#include "TrainingRun.h"

using namespace nlprt::test;

TEST_F(TrainingTest, StopsAtNaN) {
  RunResult result =
      run({"--steps=50", "--lr=1e38", "--schedule=constant", "--warmup=0",
           "--checkpoint-every=1", option("checkpoint-dir", "c"),
           option("metrics", "m")});
  EXPECT_EQ(result.code, 1);
  std::smatch match;
  ASSERT_TRUE(std::regex_search(result.errors, match,
                                std::regex("error: step (\\d+): the loss is")))
      << result.errors;
  int step = std::stoi(match[1]);
  EXPECT_GT(step, 1);
  EXPECT_EQ(losses("m").size(), size_t(step - 1));
  EXPECT_TRUE(std::filesystem::exists(
      folder / ("c/step-0000000" + std::to_string(step - 1))));
  EXPECT_FALSE(std::filesystem::exists(
      folder / ("c/step-0000000" + std::to_string(step))));
}

TEST_F(TrainingTest, SavesNoInfinity) {
  // The only step has a finite loss; its update overflows.
  Names arguments = {"--steps=1", "--lr=1e300", "--schedule=constant"};
  Names save = arguments, checkpoint = arguments;
  save.push_back(option("save", "w.safetensors"));
  RunResult result = run(save);
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(std::regex_search(
      result.errors, std::regex("w.safetensors: not written: element \\d+ of "
                                "model.table.weight is -?(inf|nan)")))
      << result.errors;
  checkpoint.push_back(option("checkpoint-dir", "c"));
  result = run(checkpoint);
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.errors, "c/step-00000001: not written"));
  EXPECT_EQ(folder.list("c"), Names{});
  EXPECT_EQ(folder.list(), (Names{"c", "text"}));
}

TEST_F(TrainingTest, FullDisk) {
  // Weights take 263 kB.
  RunResult result =
      run({"--steps=3", option("save", "w.safetensors")}, {}, 100000);
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.errors, "could not write: File too large"))
      << result.errors;
  EXPECT_EQ(folder.list(), Names{"text"});
  result = run({"--steps=3", option("checkpoint-dir", "c")}, {}, 100000);
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.errors, "File too large"));
  EXPECT_EQ(folder.list("c"), Names{});
  result = run({"--steps=30", option("metrics", "m")}, {}, 1000);
  EXPECT_EQ(result.code, 1);
  EXPECT_FALSE(losses("m").empty());
  EXPECT_TRUE(readFile(folder / "m").ends_with("}\n"));
  result = run({"--steps=3", "--metrics=/dev/full"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.errors, "No space left"));
}

TEST_F(TrainingTest, UnwritableOutput) {
  for (const char *name : {"metrics", "save", "trace"}) {
    RunResult result = run({"--steps=1", option(name, "no/such/file")});
    EXPECT_EQ(result.code, 1) << name;
    EXPECT_TRUE(contains(result.errors, "No such file")) << result.errors;
    result = run({"--steps=1", option(name, "")});
    EXPECT_EQ(result.code, 1) << name;
  }
  EXPECT_EQ(run({"--steps=1", "--checkpoint-dir=" + text}).code, 1);
}

TEST_F(TrainingTest, BadInput) {
  EXPECT_EQ(run({"--data=" + (folder / "none")}).code, 1);
  EXPECT_EQ(run({"--data=" + folder.write("short", "abc")}).code, 1);
  EXPECT_EQ(run({"--data=" + folder.write("big.bin", "\xff\xff")}).code, 1);
  EXPECT_EQ(run({"--steps=1", "--eval-data=" + (folder / "none")}).code, 1);
}

TEST_F(TrainingTest, WrongUsage) {
  for (const Names &arguments : {Names{},
                                 {"--data"},
                                 {"--data=x", "--lr=-1"},
                                 {"--data=x", "--lr=nan"},
                                 {"--data=x", "--steps=0"},
                                 {"--data=x", "--steps=99999999999999999999"},
                                 {"--data=x", "--seed=99999999999999999999"},
                                 {"--data=x", "--describe=odd"},
                                 {"--data=x", "--steps=1.5"},
                                 {"--data=x", "--schedule=odd"},
                                 {"--data=x", "--beta1=1"},
                                 {"--data=x", "--unknown"},
                                 {"--data=x", "--resume"},
                                 {"--data=x", "--checkpoint-every=5"},
                                 {"--data=x", "--eval-every=5"},
                                 {"--data=x", "--data-order=odd"},
                                 {"--data=x", "--x"},
                                 {"--data=x", "more"}}) {
    RunResult result = train(arguments);
    EXPECT_EQ(result.code, 2) << testing::PrintToString(arguments);
    EXPECT_TRUE(result.errors.starts_with("nlprt-fake-train: error: "))
        << result.errors;
  }
}

TEST_F(TrainingTest, OutputThatIsLost) {
  std::vector<std::pair<std::string, std::string>> full = {
      {"FAKE_STDOUT", "/dev/full"}};
  for (const char *option : {"--describe", "--describe=json", "--help"}) {
    RunResult result = train({option}, full);
    EXPECT_EQ(result.code, 1) << option;
    EXPECT_TRUE(contains(result.errors, "error: standard output: could not "
                                        "write"))
        << result.errors;
  }
  // The run is not: it ends as it would, with all its files.
  Names arguments = {"--steps=20", option("save", "w.safetensors"),
                     option("checkpoint-dir", "c")};
  RunResult result = run(arguments, full);
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.errors, "standard output: could not write"));
  EXPECT_TRUE(std::filesystem::exists(folder / "w.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder / "c/step-00000020"));
  arguments = {"--steps=20", option("checkpoint-dir", "d")};
  full.push_back({"FAKE_SIGNAL_AT", "3"});
  EXPECT_EQ(run(arguments, full).code, 75);
}

TEST_F(TrainingTest, SaysWhatHasNoEffect) {
  RunResult result = run({"--steps=1", "--beta1=0.8", "--momentum=0.8"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors,
            "nlprt-fake-train: warning: --beta1 has no effect: the optimizer "
            "that was compiled in does not use it\n");
  EXPECT_TRUE(contains(result.output, ", momentum 0.8, clip at 100, seed 1,"));
  EXPECT_FALSE(contains(result.output, "betas"));
  EXPECT_FALSE(contains(result.output, "│")); // one step is no curve
}

TEST_F(TrainingTest, WeightsOfOtherFormats) {
  for (auto [content, what] :
       {std::pair(std::string("PK\3\4\0\0\10\10", 8), "a zip archive"),
        std::pair(std::string("\x80\2\x8a\nl\xfc\x9c\x46", 8), "a pickle"),
        std::pair(std::string("GGUF\3\0\0\0", 8), "a GGUF file")}) {
    folder.write("w", content + std::string(100, 'x'));
    RunResult result = run({"--steps=1", option("weights", "w")});
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(contains(result.errors, "expected a safetensors file, but "
                                        "this is " +
                                            std::string(what)))
        << result.errors;
  }
}
