//===- Executable.cpp - Link a training binary ------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ compiler links, since it knows where its libraries are. Object file
// and binary are made beside the output and renamed at the end.
//
//===----------------------------------------------------------------------===//

#include "nlp/Target/Executable.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace nlp;

std::string nlp::findRuntimeLibrary() {
  // The name that the program was called by may have been looked up in PATH.
  std::string program = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&nlp::findRuntimeLibrary));
  SmallString<128> path(llvm::sys::path::parent_path(program));
  llvm::sys::path::append(path, "..", "lib", "libnlprt.a");
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

/// Runs the linking compiler; its complaints become part of the error.
static LogicalResult link(Location location, const LinkOptions &options,
                          StringRef object, StringRef output,
                          StringRef messages) {
  auto driver = llvm::sys::findProgramByName(options.driver);
  if (!driver)
    return emitError(location, "expected the C++ compiler '")
           << options.driver
           << "' to link with: " << driver.getError().message();
  SmallVector<StringRef> arguments = {*driver, "-o", output, object,
                                      options.runtimeLibrary};
  // A faster linker, where there is one.
  if (llvm::sys::findProgramByName("ld.mold"))
    arguments.push_back("-fuse-ld=mold");
  else if (llvm::sys::findProgramByName("ld.lld"))
    arguments.push_back("-fuse-ld=lld");
  arguments.append(options.libraries.begin(), options.libraries.end());
  std::string error;
  int status = llvm::sys::ExecuteAndWait(*driver, arguments, std::nullopt,
                                         {std::nullopt, messages, messages}, 0,
                                         0, &error);
  if (status == 0)
    return success();
  auto said = llvm::MemoryBuffer::getFile(messages);
  return emitError(location, "linking failed: ")
         << error << (said ? (*said)->getBuffer().take_front(4000) : "");
}

LogicalResult nlp::writeExecutable(ModuleOp module, CodeOptions codeOptions,
                                   const LinkOptions &linkOptions,
                                   StringRef path) {
  Location location = module.getLoc();
  if (!llvm::sys::fs::exists(linkOptions.runtimeLibrary))
    return emitError(location, "expected the runtime library at '")
           << linkOptions.runtimeLibrary << "'";
  // A device, a pipe or a folder must not be renamed over.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
    return emitError(location, "expected to write a regular file, but '")
           << path << "' is none";
  SmallString<128> base;
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(path + ".tmp%%%%%%", base))
    return emitError(location, "expected to write '")
           << path << "': " << error.message();
  std::string object = (base + ".o").str(), messages = (base + ".txt").str();
  llvm::scope_exit cleanUp([&] {
    for (StringRef file :
         {StringRef(base), StringRef(object), StringRef(messages)})
      llvm::sys::fs::remove(file);
  });
  codeOptions.withMain = true;
  if (failed(writeObjectFile(module, codeOptions, object)) ||
      failed(link(location, linkOptions, object, base, messages)))
    return failure();
  if (std::error_code error = llvm::sys::fs::rename(base, path))
    return emitError(location, "expected to write '")
           << path << "': " << error.message();
  return success();
}
