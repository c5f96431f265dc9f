//===- AddWorkspaces.cpp - Workspaces of kernel launches --------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Conversion/KernelWorkspace.h"
#include "nlp/Conversion/Passes.h"
#include "nlp/Dialect/NLPRT/IR/KernelCatalogue.h"

namespace nlp {
#define GEN_PASS_DEF_ADDWORKSPACES
#include "nlp/Conversion/Passes.h.inc"
} // namespace nlp

using namespace mlir;
using namespace nlp;

namespace {
struct AddWorkspaces : nlp::impl::AddWorkspacesBase<AddWorkspaces> {
  using AddWorkspacesBase::AddWorkspacesBase;

  void runOnOperation() override;
};
} // namespace

/// Appends a workspace to `launch` where it needs one and has none yet.
static LogicalResult addWorkspace(rt::LaunchOp launch, int64_t threads) {
  if (launch.getOuts().size() != rt::lookupKernel(launch.getKernel())->writes)
    return success();
  FailureOr<int64_t> bytes = rt::getKernelWorkspaceBytes(launch, threads);
  if (failed(bytes))
    return failure();
  if (*bytes == 0)
    return success();
  OpBuilder builder(launch);
  auto alloc =
      rt::AllocOp::create(builder, launch.getLoc(),
                          MemRefType::get({*bytes}, builder.getIntegerType(8)),
                          rt::Category::Workspace, /*offset=*/nullptr);
  launch.getOutsMutable().append(alloc.getResult());
  return success();
}

void AddWorkspaces::runOnOperation() {
  WalkResult result = getOperation().walk([&](rt::LaunchOp launch) {
    auto program = launch->getParentOfType<rt::ProgramOp>();
    return failed(addWorkspace(launch, program.getThreads()))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
