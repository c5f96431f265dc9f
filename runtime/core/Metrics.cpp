//===- Metrics.cpp - A JSON line per step -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are written with as few digits as give back the same number, so that
// runs can be compared bit by bit. A line that does not fit on the disk is cut
// off again.
//
//===----------------------------------------------------------------------===//

#include "core/Metrics.h"
#include "core/MappedFile.h"
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace nlprt {

namespace {
/// A JSON object on one line, in a buffer of its own.
class Line {
public:
  void number(const char *key, double value) {
    name(key);
    if (!std::isfinite(value))
      append("null");
    else if (static_cast<double>(static_cast<float>(value)) == value)
      convert(static_cast<float>(value));
    else
      convert(value);
  }
  void integer(const char *key, int64_t value) {
    name(key);
    convert(value);
  }
  std::string_view finish() {
    append("}\n");
    return {text, static_cast<size_t>(end - text)};
  }

private:
  void append(std::string_view piece) {
    end = std::copy(piece.begin(), piece.end(), end);
  }
  void name(const char *key) {
    append(end == text ? "{\"" : ",\"");
    append(key);
    append("\":");
  }
  template <typename T> void convert(T value) {
    end = std::to_chars(end, text + sizeof(text) - 4, value).ptr;
  }

  char text[512];
  char *end = text;
};
} // namespace

/// Where the first line of a later step than `resumed` begins. Lines of one
/// step and of its evaluation begin with {"step":N.
static size_t endOfLines(const std::string &path, int64_t resumed) {
  MappedFile file(path);
  std::string_view text(reinterpret_cast<const char *>(file.data()),
                        file.size());
  static constexpr std::string_view start = "{\"step\":";
  size_t at = 0;
  while (at < text.size()) {
    size_t newline = text.find('\n', at);
    std::string_view line = text.substr(at, newline - at);
    if (newline == std::string_view::npos || !line.starts_with(start))
      break;
    int64_t step = 0;
    std::from_chars(line.data() + start.size(), line.data() + line.size(),
                    step);
    if (step > resumed)
      break;
    at = newline + 1;
  }
  return at;
}

Metrics::Metrics(const std::string &path, int64_t resumed) : path(path) {
  if (path.empty())
    return;
  struct stat status;
  bool regular = stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  size_t kept = resumed > 0 && regular ? endOfLines(path, resumed) : 0;
  file = FileHandle(
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!file)
    throw systemError(path, "open for writing", errno);
  if (regular && ftruncate(file.get(), kept) != 0)
    throw systemError(path, "write", errno);
}

void Metrics::writeLine(const char *text, size_t length) {
  size_t done = 0;
  while (done < length) {
    ssize_t written =
        retry([&] { return ::write(file.get(), text + done, length - done); });
    if (written <= 0) {
      int code = written < 0 ? errno : ENOSPC;
      struct stat status;
      if (done > 0 && fstat(file.get(), &status) == 0 &&
          S_ISREG(status.st_mode) &&
          ftruncate(file.get(), status.st_size - done) != 0)
        code = errno;
      throw systemError(path, "write", code);
    }
    done += written;
  }
}

void Metrics::step(const StepMetrics &metrics) {
  if (!file)
    return;
  Line line;
  line.integer("step", metrics.step);
  line.number("loss", metrics.loss);
  line.number("grad_norm", metrics.gradNorm);
  line.number("lr", metrics.learningRate);
  line.number("step_seconds", metrics.seconds);
  line.number("tokens_per_second", metrics.tokensPerSecond);
  line.integer("memory_bytes", metrics.memoryBytes);
  std::string_view text = line.finish();
  writeLine(text.data(), text.size());
}

void Metrics::evaluation(int64_t step, double loss) {
  if (!file)
    return;
  Line line;
  line.integer("step", step);
  line.number("eval_loss", loss);
  std::string_view text = line.finish();
  writeLine(text.data(), text.size());
}

} // namespace nlprt
