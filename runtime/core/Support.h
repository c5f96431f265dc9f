//===- Support.h - Errors, text and file handles of the runtime -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind the C ABI the runtime is ordinary C++: what goes wrong while files are
// read or written is an Error, which nlprt_main turns into a message and an
// exit code. The C ABI itself returns statuses and throws nothing.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_SUPPORT_H
#define NLPRT_CORE_SUPPORT_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nlprt {

/// Exit codes of a training program.
enum ExitCode { exitDone = 0, exitFailed = 1, exitUsage = 2, exitResume = 75 };

/// An error of the user's or of the system: what was expected, what came.
struct Error : std::runtime_error {
  explicit Error(const std::string &message, ExitCode code = exitFailed)
      : std::runtime_error(message), code(code) {}
  ExitCode code;
};

/// printf into a string.
std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));

/// `text` with the characters that a terminal would obey as \xNN, byte by byte:
/// names in messages may come from files of others.
std::string printable(std::string_view text);

/// "1.50 GiB (1610612736 bytes)".
std::string formatBytes(int64_t bytes);

/// Error of "PATH: could not ACTION: REASON" with the reason from `code`.
Error systemError(const std::string &path, const char *action, int code);

/// Whether the last system call of this thread failed with EINTR.
bool wasInterrupted();

/// Calls `call` again as long as a signal interrupts it.
template <typename Call> auto retry(Call call) {
  decltype(call()) result;
  do
    result = call();
  while (result < 0 && wasInterrupted());
  return result;
}

/// An owned file descriptor.
class FileHandle {
public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor(descriptor) {}
  FileHandle(FileHandle &&other) noexcept : descriptor(other.release()) {}
  FileHandle &operator=(FileHandle &&other) noexcept;
  ~FileHandle() { close(); }

  int get() const { return descriptor; }
  explicit operator bool() const { return descriptor >= 0; }
  int release();
  /// The result of close(2), which may be the first to tell of a full disk.
  int close();

private:
  int descriptor = -1;
};

} // namespace nlprt

#endif // NLPRT_CORE_SUPPORT_H
