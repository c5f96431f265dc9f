//===- Testing.h - Folders and child processes for tests -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_TEST_TESTING_H
#define NLPRT_TEST_TESTING_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nlprt::test {

/// A folder that goes away with its owner.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;

  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  /// Writes a file and returns its path.
  std::string write(const std::string &name, const std::string &content) const;
  /// Names of what is in the folder or one below it, sorted.
  std::vector<std::string> list(const std::string &below = "") const;

  std::string path;
};

std::string readFile(const std::string &path);

/// The bytes of a number, little endian.
template <typename T> std::string bytesOf(T value) {
  return {reinterpret_cast<const char *>(&value), sizeof(value)};
}

struct RunResult {
  int code; // exit code, or 128 + signal
  std::string output, errors;
};

/// Runs the training binary of the hand-written program. `fileLimit`: largest
/// file that it may write (RLIMIT_FSIZE), 0 for no limit.
RunResult
train(const std::vector<std::string> &arguments,
      const std::vector<std::pair<std::string, std::string>> &environment = {},
      uint64_t fileLimit = 0);

/// A training binary that runs beside the test.
class RunningTrain {
public:
  RunningTrain(
      const std::vector<std::string> &arguments,
      const std::vector<std::pair<std::string, std::string>> &environment = {},
      uint64_t fileLimit = 0);
  ~RunningTrain();
  RunningTrain(const RunningTrain &) = delete;

  void signal(int number) const;
  RunResult wait();

private:
  TemporaryFolder folder;
  int child;
};

/// The message of the nlprt::Error that `call` throws, or "no error".
template <typename Call> std::string errorOf(Call call) {
  try {
    call();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "no error";
}

} // namespace nlprt::test

#endif // NLPRT_TEST_TESTING_H
