//===- MappedFile.h - A file to read, in memory -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NLPRT_CORE_MAPPEDFILE_H
#define NLPRT_CORE_MAPPEDFILE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace nlprt {

/// A regular file, mapped for reading. Its pages are the system's cache, not
/// memory of this process.
class MappedFile {
public:
  MappedFile() = default;
  /// Throws Error if `path` is missing, a folder, or no regular file.
  explicit MappedFile(const std::string &path);
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  const uint8_t *data() const { return base; }
  size_t size() const { return length; }

private:
  const uint8_t *base = nullptr;
  size_t length = 0;
};

} // namespace nlprt

#endif // NLPRT_CORE_MAPPEDFILE_H
