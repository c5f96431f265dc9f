//===- MappedFile.cpp - A file to read, in memory -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The descriptor is closed once the mapping stands. A file that another process
// shortens meanwhile is the one case that a mapping cannot report.
//
//===----------------------------------------------------------------------===//

#include "core/MappedFile.h"
#include "core/Support.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

namespace nlprt {

MappedFile::MappedFile(const std::string &path) {
  // A pipe without a writer must not block the open.
  FileHandle file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file)
    throw systemError(path, "open for reading", errno);
  struct stat status;
  if (fstat(file.get(), &status) != 0)
    throw systemError(path, "read", errno);
  if (S_ISDIR(status.st_mode))
    throw Error(path + ": expected a file, but it is a directory");
  if (!S_ISREG(status.st_mode))
    throw Error(path + ": expected a regular file");
  length = static_cast<size_t>(status.st_size);
  if (length == 0)
    return;
  void *mapped = mmap(nullptr, length, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) {
    length = 0;
    throw systemError(path, "map into memory", errno);
  }
  base = static_cast<const uint8_t *>(mapped);
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : base(std::exchange(other.base, nullptr)),
      length(std::exchange(other.length, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(base, other.base);
  std::swap(length, other.length);
  return *this;
}

MappedFile::~MappedFile() {
  if (base)
    munmap(const_cast<uint8_t *>(base), length);
}

} // namespace nlprt
