//===- Testing.cpp - Folders and child processes for tests -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nlprt::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = fs::temp_directory_path().string() + "/nlprtXXXXXX";
  if (char *made = mkdtemp(name.data()))
    path = made;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path.empty())
    fs::remove_all(path, ignored);
}

std::string TemporaryFolder::write(const std::string &name,
                                   const std::string &content) const {
  std::ofstream(*this / name, std::ios::binary) << content;
  return *this / name;
}

std::vector<std::string> TemporaryFolder::list(const std::string &below) const {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(*this / below))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string readFile(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

RunningTrain::RunningTrain(
    const std::vector<std::string> &arguments,
    const std::vector<std::pair<std::string, std::string>> &environment,
    uint64_t fileLimit) {
  std::vector<std::string> words = {NLPRT_FAKE_TRAIN};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  child = fork();
  if (child == 0) {
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    const char *output = getenv("FAKE_STDOUT");
    std::string file = output ? output : folder / "out";
    if (!freopen(file.c_str(), "w", stdout) ||
        !freopen((folder / "err").c_str(), "w", stderr))
      _exit(126);
    if (fileLimit > 0) {
      rlimit limit = {fileLimit, fileLimit};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    execv(argv[0], argv.data());
    _exit(127);
  }
}

RunningTrain::~RunningTrain() {
  if (child > 0) {
    signal(SIGKILL);
    wait();
  }
}

void RunningTrain::signal(int number) const { kill(child, number); }

RunResult RunningTrain::wait() {
  int status = 0;
  waitpid(child, &status, 0);
  child = -1;
  int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return {code, readFile(folder / "out"), readFile(folder / "err")};
}

RunResult
train(const std::vector<std::string> &arguments,
      const std::vector<std::pair<std::string, std::string>> &environment,
      uint64_t fileLimit) {
  return RunningTrain(arguments, environment, fileLimit).wait();
}

} // namespace nlprt::test
