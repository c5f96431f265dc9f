//===- KernelWorkspace.cpp - Workspace of each kernel -----------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Conversion/KernelWorkspace.h"
#include "KernelSet.h"
#include "LibraryKernels.h"

using namespace mlir;
using namespace nlp::rt;

FailureOr<int64_t> nlp::rt::getKernelWorkspaceBytes(LaunchOp launch,
                                                    int64_t threads) {
  if (const LibraryKernel *library = lookupLibraryKernel(launch.getKernel())) {
    FailureOr<SmallVector<int64_t>> params = getLibraryParams(launch, *library);
    if (failed(params))
      return failure();
    if (failed(checkLibraryCall(launch, *library, *params)))
      return failure();
    int64_t bytes = library->workspaceBytes(params->data(), threads);
    if (overwritesFirst(launch)) {
      params = getLibraryParams(launch, *library, /*isFirst=*/true);
      int64_t first = library->workspaceBytes(params->data(), threads);
      bytes = bytes < 0 || first < 0 ? -1 : std::max(bytes, first);
    }
    if (bytes < 0)
      return launch.emitOpError("expected parameters that kernel '")
             << library->name << "' supports, but got " << launch.getParams();
    return bytes;
  }
  KernelRequest request = makeRequest(launch);
  if (failed(checkRequest(launch, request)))
    return failure();
  const Generator *generator = lookupGenerator(request.kernel);
  return generator->workspaceBytes ? generator->workspaceBytes(request) : 0;
}
