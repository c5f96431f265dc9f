//===- FolderLock.cpp - One run in a folder -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The holder removes the file at its end, so one that was opened before may be
// locked after: only the lock of the file that has the name counts.
//
//===----------------------------------------------------------------------===//

#include "core/FolderLock.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nlprt {

/// Whether `path` is the file that is open as `file`.
static bool isNamed(const std::string &path, int file) {
  struct stat named, opened;
  return stat(path.c_str(), &named) == 0 && fstat(file, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

FolderLock::FolderLock(const std::string &folder) : path(folder + "/.lock") {
  do {
    file = FileHandle(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file)
      throw systemError(path, "open for writing", errno);
    if (retry([&] { return flock(file.get(), LOCK_EX | LOCK_NB); }) == 0)
      continue;
    if (errno == EWOULDBLOCK)
      throw Error(folder + ": another run writes its checkpoints here: wait "
                           "for its end, or name another folder");
    return; // no locks here
  } while (!isNamed(path, file.get()));
}

FolderLock::~FolderLock() { unlink(path.c_str()); }

} // namespace nlprt
