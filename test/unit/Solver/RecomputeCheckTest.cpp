//===- RecomputeCheckTest.cpp - Checks of schedules -------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each fault that a program or a schedule can have is found and named; peaks
// with shared bytes, in-place outputs and workspaces counted by hand.
//
//===----------------------------------------------------------------------===//

#include "nlp/Solver/Recompute.h"
#include "gtest/gtest.h"

using namespace nlp::solver;

/// Values 0 (constant, 1 byte), 1 (10), 2 (20), 3 (30); ops 0: 0 -> 1,
/// 1: 1 -> 2, 2: 1, 2 -> 3, the result.
static RecomputeProblem makeProblem() {
  RecomputeProblem problem;
  problem.values = {{1, {}}, {10, {}}, {20, {}}, {30, {}}};
  problem.ops.resize(3);
  problem.ops[0].inputs = {0};
  problem.ops[0].outputs = {1};
  problem.ops[0].seconds = 1;
  problem.ops[1].inputs = {1};
  problem.ops[1].outputs = {2};
  problem.ops[1].seconds = 2;
  problem.ops[2].inputs = {1, 2};
  problem.ops[2].outputs = {3};
  problem.ops[2].seconds = 4;
  problem.results = {3};
  problem.firstFixed = 3;
  return problem;
}

TEST(RecomputeCheck, NamesFaultsOfAProgram) {
  auto error = [](auto change) {
    RecomputeProblem problem = makeProblem();
    change(problem);
    return problem.check().value_or("");
  };
  using P = RecomputeProblem;
  EXPECT_EQ(error([](P &) {}), "");
  EXPECT_EQ(error([](P &p) { p.values[1].bytes = -1; }),
            "value 1: expected a size of 0 or more, but got -1");
  EXPECT_EQ(error([](P &p) { p.values[1].aliasOf = 4; }),
            "value 1: expected bytes of another value, but there is no value "
            "4");
  EXPECT_EQ(error([](P &p) {
              p.values[1].aliasOf = 2;
              p.values[2].aliasOf = 1;
            }),
            "value 1: expected bytes of another value, but its aliases form a "
            "circle");
  EXPECT_EQ(error([](P &p) { p.values[1].aliasOf = 2; }),
            "value 1: expected bytes of an earlier value, but value 2 comes "
            "later");
  EXPECT_EQ(error([](P &p) { p.values[1].bytes = INT64_MAX / 2; }),
            "expected sizes whose sum is below 2^61 bytes");
  EXPECT_EQ(error([](P &p) { p.ops[1].seconds = -1; }),
            "op 1: expected a time of 0 or more, but got -1.000000");
  EXPECT_EQ(error([](P &p) { p.ops[1].workspaceBytes = -1; }),
            "op 1: expected a workspace of 0 to 2^61 bytes, but got -1");
  EXPECT_EQ(error([](P &p) { p.ops[1].inputs[0] = 7; }),
            "op 1: expected inputs and outputs that are values of the program");
  EXPECT_EQ(error([](P &p) { p.ops[1].inPlace.push_back({0, 1}); }),
            "op 1: expected pairs of an output and an input in `inPlace`");
  EXPECT_EQ(error([](P &p) { p.ops[1].outputs[0] = 1; }),
            "op 1: expected outputs of its own, but value 1 comes from op 0");
  EXPECT_EQ(error([](P &p) { p.ops[1].inputs[0] = 3; }),
            "op 1: expected inputs of earlier ops, but value 3 comes from op "
            "2");
  EXPECT_EQ(error([](P &p) { p.results = {9}; }),
            "expected results that are values of the program");
  EXPECT_EQ(error([](P &p) { p.firstFixed = 4; }),
            "expected a first fixed op from 0 to 3, but got 4");
}

TEST(RecomputeCheck, NamesFaultsOfASchedule) {
  RecomputeProblem problem = makeProblem();
  auto error = [&](std::vector<ScheduledOp> schedule, int64_t peakBytes,
                   double seconds) {
    RecomputeSolution solution;
    solution.schedule = std::move(schedule);
    solution.peakBytes = peakBytes;
    solution.seconds = seconds;
    return solution.verify(problem).value_or("");
  };
  // At op 2: 1 + 10 + 20 + 30.
  EXPECT_EQ(error({{0, {}}, {1, {}}, {2, {1, 2}}}, 61, 7), "");
  EXPECT_EQ(error({{0, {}}, {1, {}}, {2, {}}}, 61, 7), "");
  EXPECT_EQ(error({{0, {}}, {1, {1}}, {0, {}}, {2, {}}}, 61, 8), "");
  EXPECT_EQ(error({{0, {}}, {1, {}}, {2, {}}}, 60, 7),
            "expected a peak of 61 bytes, but got 60");
  EXPECT_EQ(error({{0, {}}, {1, {}}, {2, {}}}, 61, 8),
            "expected 7.000000 seconds, but got 8.000000");
  EXPECT_EQ(error({{0, {}}, {1, {1}}, {2, {}}}, 61, 7),
            "execution 2: op 2: expected input 1 to be live");
  EXPECT_EQ(error({{0, {}}, {1, {}}, {2, {3}}}, 61, 7),
            "expected result 3 to be live at the end");
  EXPECT_EQ(error({{0, {}}, {1, {}}}, 31, 3), "expected op 2 to run");
  EXPECT_EQ(error({{0, {}}, {3, {}}}, 31, 3),
            "execution 1: expected an op of the program, but got 3");
  std::string drop = "expected live values in `free_after`, each once and no "
                     "constants, but got ";
  EXPECT_EQ(error({{0, {0}}}, 0, 0), "execution 0: op 0: " + drop + "0");
  EXPECT_EQ(error({{0, {2}}}, 0, 0), "execution 0: op 0: " + drop + "2");
  EXPECT_EQ(error({{0, {1, 1}}}, 0, 0), "execution 0: op 0: " + drop + "1");
  problem.ops[0].canRepeat = false;
  EXPECT_EQ(error({{0, {}}, {1, {1}}, {0, {}}, {2, {}}}, 61, 8),
            "execution 2: expected op 0 once and before op 0");
  problem.firstFixed = 1;
  EXPECT_EQ(error({{0, {}}, {1, {}}, {1, {}}, {2, {}}}, 61, 8),
            "execution 2: expected op 1 once and before op 1");
}

TEST(RecomputeCheck, CountsSharedBytes) {
  RecomputeProblem problem = makeProblem();
  auto peak = [&](std::vector<ScheduledOp> schedule) {
    RecomputeSolution solution;
    solution.schedule = std::move(schedule);
    solution.peakBytes = -1;
    return solution.verify(problem).value_or("");
  };
  // Value 2 lies in value 1: at op 2, 1 + 10 + 30, whichever of the two dies.
  problem.values[2].aliasOf = 1;
  EXPECT_EQ(peak({{0, {}}, {1, {}}, {2, {}}}),
            "expected a peak of 41 bytes, but got -1");
  // A workspace counts while its op runs.
  problem.ops[1].workspaceBytes = 100;
  EXPECT_EQ(peak({{0, {}}, {1, {}}, {2, {}}}),
            "expected a peak of 111 bytes, but got -1");
  problem.ops[1].workspaceBytes = 0;
  // Value 3 takes over value 1, if that dies with all that lies in it.
  problem.ops[2].inPlace.push_back({0, 0});
  EXPECT_EQ(peak({{0, {}}, {1, {}}, {2, {1}}}),
            "expected a peak of 41 bytes, but got -1");
  EXPECT_EQ(peak({{0, {}}, {1, {}}, {2, {1, 2}}}),
            "expected a peak of 31 bytes, but got -1");
}
