//===- AtomicFile.h - Files that are whole or not there -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes go to a temporary file in the same folder, which takes the place of
// the target when all of it is on the disk. Without commit nothing is left.
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_ATOMICFILE_H
#define NLPRT_CORE_ATOMICFILE_H

#include "core/Digest.h"
#include "core/Support.h"
#include <cstddef>
#include <string_view>

namespace nlprt {

class AtomicFile {
public:
  /// Creates the temporary file. Throws Error, as all functions here do.
  explicit AtomicFile(const std::string &path);
  AtomicFile(const AtomicFile &) = delete;
  ~AtomicFile();

  void write(const void *data, size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Makes the file visible under its name.
  void commit();
  /// Fingerprint of all that was written.
  uint64_t digest() const { return written.value(); }

private:
  void flush();

  std::string target, temporary;
  std::string buffer; // writes smaller than its capacity are collected
  FileHandle file;
  Digest written;
};

/// Makes the entries of a folder durable.
void syncFolder(const std::string &path);

/// The folder that holds `path`.
std::string folderOf(const std::string &path);

/// Throws the Error that writing `path` would meet now; leaves nothing behind.
void checkWritable(const std::string &path);

} // namespace nlprt

#endif // NLPRT_CORE_ATOMICFILE_H
