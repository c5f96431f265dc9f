//===- AtomicFile.cpp - Files that are whole or not there -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX calls, each checked: write (which may take less than it was given),
// fsync and close (which may be the first to tell of a full disk), rename, and
// fsync of the folder so that the new name survives a power cut. A target that
// exists and is no regular file (/dev/null, a pipe) is written directly.
//
//===----------------------------------------------------------------------===//

#include "core/AtomicFile.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nlprt {

std::string folderOf(const std::string &path) {
  size_t slash = path.find_last_of('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The file that a write to `path` changes: the end of a chain of links.
static std::string resolveTarget(const std::string &path) {
  char real[PATH_MAX];
  struct stat status;
  if (lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) &&
      realpath(path.c_str(), real))
    return real;
  return path;
}

AtomicFile::AtomicFile(const std::string &path) : target(resolveTarget(path)) {
  buffer.reserve(size_t(1) << 16);
  struct stat status;
  bool exists = stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    throw Error(path + ": expected a file to write, but it is a directory");
  if (exists && !S_ISREG(status.st_mode)) {
    file = FileHandle(open(target.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file)
      throw systemError(path, "open for writing", errno);
    return;
  }
  if (exists && access(target.c_str(), W_OK) != 0)
    throw systemError(path, "open for writing", errno);
  temporary = target + ".tmpXXXXXX";
  file = FileHandle(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) {
    temporary.clear();
    throw systemError(path, "create a file in its folder", errno);
  }
  mode_t mask = umask(0);
  umask(mask);
  fchmod(file.get(), exists ? status.st_mode & 07777 : 0666 & ~mask);
}

AtomicFile::~AtomicFile() {
  if (!temporary.empty())
    unlink(temporary.c_str());
}

static void writeAll(const std::string &path, int file, const char *data,
                     size_t bytes) {
  while (bytes > 0) {
    size_t part = std::min(bytes, size_t(1) << 30);
    ssize_t written = retry([&] { return ::write(file, data, part); });
    if (written < 0)
      throw systemError(path, "write", errno);
    if (written == 0)
      throw systemError(path, "write", ENOSPC);
    data += written;
    bytes -= written;
  }
}

void AtomicFile::flush() {
  writeAll(target, file.get(), buffer.data(), buffer.size());
  buffer.clear();
}

void AtomicFile::write(const void *data, size_t bytes) {
  written.update(data, bytes);
  if (buffer.size() + bytes > buffer.capacity())
    flush();
  if (bytes > buffer.capacity())
    writeAll(target, file.get(), static_cast<const char *>(data), bytes);
  else
    buffer.append(static_cast<const char *>(data), bytes);
}

void AtomicFile::commit() {
  flush();
  if (temporary.empty()) {
    if (file.close() != 0)
      throw systemError(target, "write", errno);
    return;
  }
  if (retry([&] { return fsync(file.get()); }) != 0)
    throw systemError(target, "write", errno);
  if (file.close() != 0)
    throw systemError(target, "write", errno);
  if (rename(temporary.c_str(), target.c_str()) != 0)
    throw systemError(target, "rename the temporary file to this name", errno);
  temporary.clear();
  syncFolder(folderOf(target));
}

void syncFolder(const std::string &path) {
  FileHandle folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder (EINVAL): nothing more can be done.
  if (!folder || (fsync(folder.get()) != 0 && errno != EINVAL))
    throw systemError(path, "sync the folder", errno);
}

void checkWritable(const std::string &path) { AtomicFile probe(path); }

} // namespace nlprt
