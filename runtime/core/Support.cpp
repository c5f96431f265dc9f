//===- Support.cpp - Errors, text and file handles -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Used at start-up and at the end only: these functions allocate, so the
// training loop calls none of them.
//
//===----------------------------------------------------------------------===//

#include "core/Support.h"
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace nlprt {

std::string format(const char *pattern, ...) {
  va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(length > 0 ? length : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are c2 80 to c2 9f.
    bool isControl = byte < 0x20 || byte == 0x7f ||
                     (byte >= 0x80 && byte < 0xa0 && i > 0 &&
                      static_cast<unsigned char>(text[i - 1]) == 0xc2);
    if (isControl)
      shown += format("\\x%02x", byte);
    else
      shown += text[i];
  }
  return shown;
}

std::string formatBytes(int64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024)
    return format("%lld bytes", static_cast<long long>(bytes));
  double value = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  return format("%.2f %s (%lld bytes)", value, units[unit],
                static_cast<long long>(bytes));
}

Error systemError(const std::string &path, const char *action, int code) {
  return Error(path + ": could not " + action + ": " + std::strerror(code));
}

bool wasInterrupted() { return errno == EINTR; }

FileHandle &FileHandle::operator=(FileHandle &&other) noexcept {
  if (this != &other) {
    close();
    descriptor = other.release();
  }
  return *this;
}

int FileHandle::release() { return std::exchange(descriptor, -1); }

int FileHandle::close() {
  int old = release();
  return old < 0 ? 0 : ::close(old);
}

} // namespace nlprt
