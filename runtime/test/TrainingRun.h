//===- TrainingRun.h - Runs of a training binary -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts the binary of the hand-written program as a user would.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_TEST_TRAININGRUN_H
#define NLPRT_TEST_TRAININGRUN_H

#include "FakeProgram.h"
#include "Testing.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace nlprt::test {

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

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace nlprt::test

#endif // NLPRT_TEST_TRAININGRUN_H
