//===- AtomicFile.h - Files that are whole or not there ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An output file is written beside its place under a temporary name, brought to
// the disk and renamed. Whatever fails on the way (a full disk, say), the old
// file stays as it was and nothing half-written remains.
//
// Limits: a process that is killed leaves the temporary file behind. A target
// that is no regular file (/dev/null, a pipe) is written in place.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_SUPPORT_ATOMICFILE_H
#define NLP_SUPPORT_ATOMICFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace nlp {

/// A file being written. Only commit() makes it visible; a destructor before
/// that takes it back.
class AtomicFile {
public:
  /// Starts writing `path`. `mode` is what the umask is taken off: 0777 for
  /// programs. "-" is standard output.
  static llvm::Expected<AtomicFile> create(llvm::StringRef path,
                                           unsigned mode = 0666);

  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  /// Appends `bytes`.
  llvm::Error write(llvm::StringRef bytes);

  /// Brings what was written to the disk and puts it in its place.
  llvm::Error commit();

private:
  AtomicFile(std::string path) : path(std::move(path)) {}

  llvm::Error fail(const char *action, int errorNumber);
  void discard();

  std::string path;          // as the user named it, for messages
  std::string target;        // the file to replace, links followed
  std::string temporaryPath; // empty where `target` is written in place
  int descriptor = -1;
};

/// Writes a whole file, or leaves what was there.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef contents,
                                unsigned mode = 0666);

/// Reads a whole file of at most `maxBytes`.
llvm::Expected<std::string> readFile(llvm::StringRef path, int64_t maxBytes);

} // namespace nlp

#endif // NLP_SUPPORT_ATOMICFILE_H
