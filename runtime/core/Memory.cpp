//===- Memory.cpp - What the machine has and this process holds -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads /proc and the control groups (version 2 and 1) into buffers on the
// stack, since the training loop asks too. What is unknown limits nothing.
//
//===----------------------------------------------------------------------===//

#include "core/Arena.h"
#include "core/Support.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace nlprt {

static constexpr int64_t unlimited = INT64_MAX;

/// Reads the start of a small file; returns false if there is none.
static bool readText(const char *path, char *text, size_t capacity) {
  FileHandle file(open(path, O_RDONLY | O_CLOEXEC));
  if (!file)
    return false;
  size_t length = 0;
  while (length + 1 < capacity) {
    ssize_t got = retry(
        [&] { return read(file.get(), text + length, capacity - 1 - length); });
    if (got <= 0)
      break;
    length += got;
  }
  text[length] = '\0';
  return length > 0;
}

/// The number behind `key` in a file of lines "key: N kB", as bytes.
static int64_t readField(const char *path, const char *key, int64_t otherwise) {
  char text[8192];
  if (!readText(path, text, sizeof(text)))
    return otherwise;
  const char *line = std::strstr(text, key);
  return line ? std::strtoll(line + std::strlen(key), nullptr, 10) * 1024
              : otherwise;
}

static int64_t readNumber(const std::string &path, int64_t otherwise) {
  char text[64];
  if (!readText(path.c_str(), text, sizeof(text)) || text[0] < '0' ||
      text[0] > '9')
    return otherwise;
  return std::strtoll(text, nullptr, 10);
}

/// Page cache that the group at `folder` would give back under pressure.
static int64_t reclaimable(const std::string &folder) {
  char text[8192];
  if (!readText((folder + "memory.stat").c_str(), text, sizeof(text)))
    return 0;
  int64_t sum = 0;
  for (const char *key : {"active_file ", "inactive_file "})
    for (const char *line : {"\ntotal_", "\n"})
      if (const char *found =
              std::strstr(text, (std::string(line) + key).c_str())) {
        sum += std::strtoll(std::strchr(found, ' '), nullptr, 10);
        break;
      }
  return sum;
}

/// What the group at `folder` and the groups that hold it leave.
static int64_t groupLeaves(const std::string &root, std::string group,
                           const char *limitName, const char *usedName) {
  int64_t left = unlimited;
  while (true) {
    std::string folder = root + group + "/";
    int64_t limit = readNumber(folder + limitName, unlimited);
    if (limit < unlimited / 2) {
      int64_t used = readNumber(folder + usedName, 0) - reclaimable(folder);
      left = std::min(left, std::max<int64_t>(limit - used, 0));
    }
    if (group.empty() || group == "/")
      return left;
    group.erase(group.find_last_of('/'));
  }
}

int64_t availableMemory() {
  int64_t left = readField("/proc/meminfo", "MemAvailable:", unlimited);
  char groups[4096];
  if (!readText("/proc/self/cgroup", groups, sizeof(groups)))
    return left;
  for (char *line = std::strtok(groups, "\n"); line;
       line = std::strtok(nullptr, "\n")) {
    if (std::strncmp(line, "0::", 3) == 0)
      left = std::min(left, groupLeaves("/sys/fs/cgroup", line + 3,
                                        "memory.max", "memory.current"));
    else if (const char *path = std::strstr(line, ":memory:"))
      left = std::min(left, groupLeaves("/sys/fs/cgroup/memory", path + 8,
                                        "memory.limit_in_bytes",
                                        "memory.usage_in_bytes"));
  }
  return left;
}

int64_t residentAnonymous() {
  // Counted from the page tables; the counter in status lags by up to 64 pages
  // for each thread.
  int64_t counted = readField("/proc/self/smaps_rollup", "Anonymous:", 0);
  return counted > 0 ? counted : readField("/proc/self/status", "RssAnon:", 0);
}

int64_t residentPeak() { return readField("/proc/self/status", "VmHWM:", 0); }

} // namespace nlprt
