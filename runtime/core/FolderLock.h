//===- FolderLock.h - One run in a folder -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two runs that write checkpoints to one folder remove each other's. The lock
// is one of the kernel's on a file of the folder: it goes with the process that
// holds it, however that ends.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_FOLDERLOCK_H
#define NLPRT_CORE_FOLDERLOCK_H

#include "core/Support.h"

namespace nlprt {

class FolderLock {
public:
  /// Throws Error if another process holds the lock, or if the folder cannot be
  /// written. On a file system without locks there is none.
  explicit FolderLock(const std::string &folder);
  FolderLock(const FolderLock &) = delete;
  /// Removes the file.
  ~FolderLock();

private:
  std::string path;
  FileHandle file;
};

} // namespace nlprt

#endif // NLPRT_CORE_FOLDERLOCK_H
