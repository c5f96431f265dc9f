//===- AtomicFile.cpp - Files that are whole or not there -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX calls, each checked: write (which may take less than it was given),
// fsync and close (which may be the first to tell of a full disk), rename, and
// fsync of the folder so that the new name survives a power cut.
//
//===----------------------------------------------------------------------===//

#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace nlp;

/// "PATH: could not ACTION: REASON".
static Error systemError(StringRef path, const char *action, int errorNumber) {
  std::error_code code(errorNumber, std::generic_category());
  return makeError(path + ": could not " + action + ": " + code.message());
}

/// Calls `call` again as long as a signal interrupts it.
template <typename Call> static auto retry(Call call) {
  decltype(call()) result;
  do
    result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

/// The file that a write to `path` changes: the end of a chain of links.
static std::string resolveTarget(StringRef path) {
  SmallString<128> real;
  if (sys::fs::is_symlink_file(path) && !sys::fs::real_path(path, real))
    return real.str().str();
  return path.str();
}

Expected<AtomicFile> AtomicFile::create(StringRef path, unsigned mode) {
  AtomicFile file(path == "-" ? "standard output" : path.str());
  if (path == "-") {
    file.descriptor = dup(STDOUT_FILENO);
    if (file.descriptor < 0)
      return file.fail("open", errno);
    return file;
  }
  file.target = resolveTarget(path);
  struct stat status;
  bool exists = stat(file.target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return file.fail("write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    file.descriptor =
        retry([&] { return open(file.target.c_str(), O_WRONLY | O_CLOEXEC); });
    if (file.descriptor < 0)
      return file.fail("open", errno);
    return file;
  }
  // A file that must not be written is not replaced either.
  if (exists && access(file.target.c_str(), W_OK) != 0)
    return file.fail("write", errno);
  for (int attempt = 0; file.descriptor < 0; ++attempt) {
    SmallString<128> temporary(sys::path::parent_path(file.target));
    sys::path::append(temporary, "." + sys::path::filename(file.target) + "." +
                                     Twine(getpid()) + "-" + Twine(attempt) +
                                     ".tmp");
    file.descriptor = retry([&] {
      return open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  mode);
    });
    if (file.descriptor >= 0)
      file.temporaryPath = temporary.str().str();
    else if (errno != EEXIST || attempt == 100)
      return file.fail("write", errno);
  }
  // A file that is replaced keeps its permissions, where that is allowed.
  if (exists && mode == 0666)
    (void)fchmod(file.descriptor, status.st_mode & 0777);
  return file;
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path(std::move(other.path)), target(std::move(other.target)),
      temporaryPath(std::move(other.temporaryPath)),
      descriptor(std::exchange(other.descriptor, -1)) {
  other.temporaryPath.clear();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor >= 0)
    close(descriptor);
  descriptor = -1;
  if (!temporaryPath.empty())
    unlink(temporaryPath.c_str());
  temporaryPath.clear();
}

Error AtomicFile::fail(const char *action, int errorNumber) {
  discard();
  return systemError(path, action, errorNumber);
}

Error AtomicFile::write(StringRef bytes) {
  if (descriptor < 0)
    return fail("write", EBADF);
  while (!bytes.empty()) {
    ssize_t count =
        retry([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (count < 0)
      return fail("write", errno);
    bytes = bytes.drop_front(count);
  }
  return Error::success();
}

Error AtomicFile::commit() {
  if (descriptor < 0)
    return fail("write", EBADF);
  // Pipes and devices have nothing to bring to the disk.
  if (retry([&] { return fsync(descriptor); }) < 0 && errno != EINVAL &&
      errno != EROFS && errno != ENOTSUP)
    return fail("write", errno);
  if (close(std::exchange(descriptor, -1)) < 0)
    return fail("write", errno);
  if (temporaryPath.empty())
    return Error::success();
  if (rename(temporaryPath.c_str(), target.c_str()) < 0)
    return fail("put the new file in place", errno);
  temporaryPath.clear();
  StringRef folder = sys::path::parent_path(target);
  int folderDescriptor = open(folder.empty() ? "." : folder.str().c_str(),
                              O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folderDescriptor >= 0) {
    // The file is whole and in place; that its name may not yet be on the disk
    // is no reason to call it failed.
    (void)fsync(folderDescriptor);
    close(folderDescriptor);
  }
  return Error::success();
}

Error nlp::writeFileAtomically(StringRef path, StringRef contents,
                               unsigned mode) {
  Expected<AtomicFile> file = AtomicFile::create(path, mode);
  if (!file)
    return file.takeError();
  if (Error error = file->write(contents))
    return error;
  return file->commit();
}

Expected<std::string> nlp::readFile(StringRef path, int64_t maxBytes) {
  int descriptor =
      retry([&] { return open(path.str().c_str(), O_RDONLY | O_CLOEXEC); });
  if (descriptor < 0)
    return systemError(path, "open", errno);
  // Read rather than mapped: a file that shrinks meanwhile must not crash us.
  std::string contents;
  char block[1 << 16];
  ssize_t count;
  while ((count = retry(
              [&] { return ::read(descriptor, block, sizeof(block)); })) > 0 &&
         static_cast<int64_t>(contents.size()) <= maxBytes)
    contents.append(block, count);
  int errorNumber = errno;
  close(descriptor);
  if (count < 0)
    return systemError(path, "read", errorNumber);
  if (static_cast<int64_t>(contents.size()) > maxBytes)
    return makeError(path + ": expected at most " + formatSize(maxBytes) +
                     ", but the file is larger");
  return contents;
}
