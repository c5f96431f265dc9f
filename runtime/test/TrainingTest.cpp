//===- TrainingTest.cpp - Whole runs of a training binary -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test starts the binary of the hand-written program as a user would.
//
//===----------------------------------------------------------------------===//

#include "FakeProgram.h"
#include "Testing.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>

using namespace nlprt::test;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

class TrainingTest : public testing::Test {
protected:
  TrainingTest() {
    std::string content;
    for (int i = 0; i < 3000; ++i)
      content += "the quick brown fox jumps over the lazy dog. "[i * i % 45];
    text = folder.write("text", content);
  }

  /// Trains on the text with a rate that suits the bigram model.
  RunResult run(Names arguments,
                std::vector<std::pair<std::string, std::string>> env = {},
                uint64_t fileLimit = 0) {
    Names all = {"--data=" + text, "--lr=5", "--max-grad-norm=100"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return train(all, env, fileLimit);
  }

  std::vector<Json> metrics(const std::string &name) {
    std::vector<Json> lines;
    std::istringstream stream(readFile(folder / name));
    for (std::string line; std::getline(stream, line);)
      lines.push_back(Json::parse(line));
    return lines;
  }

  /// "step loss" of each line, since times differ between runs.
  Names losses(const std::string &name) {
    Names result;
    for (const Json &line : metrics(name))
      if (line.contains("loss"))
        result.push_back(line["step"].dump() + " " + line["loss"].dump());
    return result;
  }

  std::string option(const char *name, const std::string &file) {
    return std::string("--") + name + "=" + (folder / file);
  }

  TemporaryFolder folder;
  std::string text;
};

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST_F(TrainingTest, Learns) {
  RunResult result =
      run({"--steps=200", option("metrics", "m"), "--eval-data=" + text,
           "--eval-every=50", option("save", "w.safetensors")});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  std::vector<Json> lines = metrics("m");
  ASSERT_EQ(lines.size(), 204u);
  EXPECT_NEAR(lines[0]["loss"].get<double>(), std::log(256), 0.1);
  EXPECT_LT(lines[202]["loss"].get<double>(), 3.2);
  EXPECT_LT(lines[203]["eval_loss"].get<double>(), 3.2);
  EXPECT_EQ(lines[203]["step"], 200);
  EXPECT_EQ(lines[0].size(), 7u);
  for (const char *key : {"step", "loss", "grad_norm", "lr", "step_seconds",
                          "tokens_per_second", "memory_bytes"})
    EXPECT_TRUE(lines[0].contains(key)) << key;
  EXPECT_EQ(lines[0]["memory_bytes"], nlprt::test::fakeProgram().arena_bytes);
  EXPECT_TRUE(contains(result.output, "steps       200 of 200"));
  EXPECT_TRUE(contains(result.output, "│")); // the loss curve
  EXPECT_EQ(result.output.find('\x1b'), std::string::npos);
}

TEST_F(TrainingTest, EvaluationEqualsTheTrainingLossOnTheSameBatch) {
  // With a rate of 0 the loss of the one batch is that of its two halves.
  std::string small = folder.write("small", std::string(65, 'a') + "bc");
  RunResult result = train({"--data=" + small, "--eval-data=" + small, "--lr=0",
                            "--steps=1", option("metrics", "m")});
  ASSERT_EQ(result.code, 0) << result.errors;
  std::vector<Json> lines = metrics("m");
  EXPECT_NEAR(lines[0]["loss"].get<double>(),
              lines[1]["eval_loss"].get<double>(), 1e-6);
}

TEST_F(TrainingTest, EvaluatesEachSequenceOnce) {
  // Three sequences in micro-batches of two: as many a's as make the mean of
  // the file's tokens differ from that of whole micro-batches.
  std::string a(16, 'a'), b(16, 'b');
  auto lossOn = [&](const std::string &content, Names more = {}) {
    Names all = {"--eval-data=" + folder.write("held-out", content),
                 "--steps=20", option("metrics", "m")};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(run(all).code, 0);
    return metrics("m").back()["eval_loss"].get<double>();
  };
  double first = lossOn(a + "a"), second = lossOn(b + "b");
  EXPECT_GT(std::abs(first - second), 0.01);
  double both = lossOn(a + a + b + "b"), change = lossOn(a + "b");
  EXPECT_NEAR(both, (first + change + second) / 3, 1e-6);
  // Two batches of four are the first eight of nine sequences.
  std::string nine = a + a + a + a + a + a + a + a + "a";
  EXPECT_NEAR(lossOn(nine + b, {"--eval-batches=2"}), first, 1e-6);
  RunResult result = run({"--eval-data=" + folder.write("held-out", nine + b),
                          "--steps=1", "--eval-batches=2"});
  EXPECT_TRUE(contains(result.output,
                       "eval data: 8 of 9 sequences of 16, 128 tokens\n"))
      << result.output;
}

TEST_F(TrainingTest, SameBitsForAnyThreadCount) {
  for (const char *threads : {"1", "2"})
    ASSERT_EQ(run({"--steps=20", std::string("--threads=") + threads,
                   option("metrics", threads),
                   option("save", std::string("w") + threads)})
                  .code,
              0);
  EXPECT_EQ(losses("1"), losses("2"));
  EXPECT_EQ(readFile(folder / "w1"), readFile(folder / "w2"));
}

TEST_F(TrainingTest, TheLoopDoesNotAllocate) {
  RunResult result =
      run({"--steps=50", option("metrics", "m"), option("trace", "t.json")},
          {{"FAKE_COUNT", "1"}});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "allocations 0\n");
  EXPECT_TRUE(contains(result.output,
                       "grown       0 bytes resident since the first step"));
}

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

TEST_F(TrainingTest, HelpVersionDescribe) {
  RunResult help = train({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_LE(std::count(help.output.begin(), help.output.end(), '\n'), 40);
  RunResult version = train({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(contains(version.output, "nlp-opt 0."));
  RunResult described = train({"--describe"});
  EXPECT_EQ(described.code, 0);
  EXPECT_TRUE(contains(described.output, "\"peak_bytes\": 1"));
  EXPECT_TRUE(contains(described.output,
                       std::to_string(nlprt::test::fakeProgram().arena_bytes) +
                           " bytes"));
  RunResult json = train({"--describe=json"});
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(Json::parse(json.output)["peak_bytes"], 1);
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

TEST_F(TrainingTest, EvaluatesWithoutTraining) {
  ASSERT_EQ(run({"--steps=50", option("save", "w.safetensors"),
                 "--eval-data=" + text, option("metrics", "m")})
                .code,
            0);
  double trained = metrics("m").back()["eval_loss"];
  RunResult result =
      train({"--steps=0", "--eval-data=" + text, option("metrics", "m"),
             option("weights", "w.safetensors")});
  EXPECT_EQ(result.code, 0) << result.errors;
  std::vector<Json> lines = metrics("m");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["step"], 0);
  EXPECT_EQ(lines[0]["eval_loss"].get<double>(), trained);
  EXPECT_TRUE(contains(result.output, "eval loss "));
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

TEST_F(TrainingTest, PrintsEvaluations) {
  RunResult result =
      run({"--steps=4", "--eval-data=" + text, "--eval-every=2"});
  EXPECT_TRUE(std::regex_search(
      result.output,
      std::regex("step 2/4  eval loss [0-9.]+\n[^]*step 4/4  eval loss")))
      << result.output;
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

TEST_F(TrainingTest, Trace) {
  ASSERT_EQ(run({"--steps=3", option("trace", "t.json")}).code, 0);
  Json trace = Json::parse(readFile(folder / "t.json"));
  EXPECT_EQ(trace["lostEvents"], 0);
  ASSERT_EQ(trace["traceEvents"].size(), 6u); // two micro-batches a step
  EXPECT_EQ(trace["traceEvents"][0]["name"], "softmax");
  EXPECT_EQ(trace["traceEvents"][0]["args"]["place"], "head \"quoted\"");
}

TEST_F(TrainingTest, TensorBoardRecords) {
  ASSERT_EQ(run({"--steps=2", option("tensorboard", "new/board"),
                 "--eval-data=" + text})
                .code,
            0);
  Names files = folder.list("new/board");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(files[0].starts_with("events.out.tfevents."));
  std::string content = readFile(folder / ("new/board/" + files[0]));
  // The version, four scalars for each of two steps, one evaluation.
  int records = 0;
  size_t at = 0;
  while (at + 12 <= content.size()) {
    uint64_t length;
    std::memcpy(&length, &content[at], sizeof(length));
    at += 8 + 4 + length + 4;
    ++records;
  }
  EXPECT_EQ(at, content.size());
  EXPECT_EQ(records, 1 + 2 * 4 + 1);
  EXPECT_TRUE(contains(content, "brain.Event:2"));
  EXPECT_TRUE(contains(content, "loss/eval"));
}

TEST_F(TrainingTest, ThreadsAreCappedByThePlan) {
  RunResult result = run({"--steps=1", "--threads=64"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(contains(result.errors, "2 threads instead of 64"));
  result = run({"--steps=1"}, {{"OMP_NUM_THREADS", "1"}});
  EXPECT_TRUE(contains(result.output, ", 1 thread\n"));
}
