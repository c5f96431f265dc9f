//===- TrainingTest.cpp - Whole runs of a training binary -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run computes, measures and writes.
//
//===----------------------------------------------------------------------===//

#include "TrainingRun.h"

using namespace nlprt::test;

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

TEST_F(TrainingTest, PrintsEvaluations) {
  RunResult result =
      run({"--steps=4", "--eval-data=" + text, "--eval-every=2"});
  EXPECT_TRUE(std::regex_search(
      result.output,
      std::regex("step 2/4  eval loss [0-9.]+\n[^]*step 4/4  eval loss")))
      << result.output;
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
