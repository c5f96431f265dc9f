//===- BinaryCache.cpp - Training binaries by content ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KEY.train is a binary, KEY.sum its size and digest: a binary that was cut
// short or changed, by a full disk or a crash, does not match and is compiled
// anew.
//
//===----------------------------------------------------------------------===//

#include "nlp/Pipelines/BinaryCache.h"
#include "nlp/Pipelines/PlanReport.h"
#include "nlp/Support/AtomicFile.h"
#include "nlp/Support/Units.h"
#include "nlp/Target/Executable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

using namespace mlir;
using namespace nlp;

static constexpr size_t kKeptBinaries = 16;

static std::string getCacheFolder() {
  if (const char *folder = std::getenv("NLP_OPT_CACHE"))
    return folder;
  if (const char *folder = std::getenv("XDG_CACHE_HOME"))
    return std::string(folder) + "/nlp-opt";
  const char *home = std::getenv("HOME");
  return std::string(home ? home : "/tmp") + "/.cache/nlp-opt";
}

/// Size and time of a file: another build of it differs in one of them.
static std::string getStamp(StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return "absent";
  return std::to_string(status.getSize()) + "@" +
         std::to_string(
             status.getLastModificationTime().time_since_epoch().count());
}

/// The file that holds this code: the compiler's library.
static std::string getCompilerPath() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&getCompilerPath), &info) &&
      info.dli_fname)
    return info.dli_fname;
  return "";
}

static std::string getKey(ModuleOp runtime) {
  llvm::SHA256 hash;
  hash.update(printModule(runtime));
  hash.update(getStamp(getCompilerPath()));
  hash.update(getStamp(findRuntimeLibrary()));
  hash.update(llvm::sys::getHostCPUName());
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 32);
}

/// The file that holds the sum of a binary.
static std::string getSumPath(StringRef binary) {
  return (binary.drop_back(StringRef(".train").size()) + ".sum").str();
}

/// The size and digest of a file's bytes; empty where it cannot be read.
static std::string getSum(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return "";
  StringRef bytes = (*file)->getBuffer();
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(bytes));
  return llvm::formatv("xxh3 {0} {1:x-16}{2:x-16}\n", bytes.size(), hash.high64,
                       hash.low64);
}

/// Takes a binary from the cache, if it is there and whole, and makes it one of
/// the newest: other processes would remove it before it runs.
static bool reuse(const std::string &path) {
  if (!llvm::sys::fs::can_execute(path) ||
      utimensat(AT_FDCWD, path.c_str(), nullptr, 0) != 0)
    return false;
  auto sum = llvm::MemoryBuffer::getFile(getSumPath(path));
  return sum && !(*sum)->getBuffer().empty() &&
         (*sum)->getBuffer() == getSum(path);
}

/// Removes all but the newest binaries.
static void trim(StringRef folder) {
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> files;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(folder, code), end;
       it != end && !code; it.increment(code))
    if (auto status = it->status();
        status && StringRef(it->path()).ends_with(".train"))
      files.push_back({status->getLastModificationTime(), it->path()});
  llvm::sort(files, std::greater<>());
  for (size_t i = kKeptBinaries; i < files.size(); ++i) {
    llvm::sys::fs::remove(files[i].second);
    llvm::sys::fs::remove(getSumPath(files[i].second));
  }
}

llvm::Expected<std::string> nlp::compileCached(PlanResult &result,
                                               const CompileRequest &request) {
  ModuleOp runtime = *result.step.runtime;
  auto program = *runtime.getOps<rt::ProgramOp>().begin();
  double seconds = std::exchange(result.searchSeconds, 0.0);
  program.setPlan(renderPlanJson(result)); // the same plan, the same text
  result.searchSeconds = seconds;

  std::string folder = getCacheFolder();
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return makeError(folder + ": " + code.message());
  std::string path = folder + "/" + getKey(runtime) + ".train";
  if (reuse(path))
    return path;
  if (llvm::Error error = compileModule(runtime, request, path))
    return error;
  if (llvm::Error error = writeFileAtomically(getSumPath(path), getSum(path)))
    return error;
  trim(folder);
  return path;
}
