//===- CheckProgram.cpp - Can a program be emitted? -------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the dialect's verifiers leave open: offsets, which an earlier pass
// gives, and what the generator of each kernel relies on.
//
//===----------------------------------------------------------------------===//

#include "LibraryKernels.h"
#include "RoutineCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "nlp/Conversion/KernelWorkspace.h"
#include "nlp/Dialect/NLPRT/IR/KernelCatalogue.h"

using namespace mlir;
using namespace nlp::rt;

static bool isSingle(Type type) {
  return type.isF32() || type.isBF16() || type.isF16();
}

/// Scalar definitions are one arith or math op with one result after another.
static LogicalResult checkBody(Operation *op, Region &body) {
  for (Operation &inner : body.front().without_terminator()) {
    bool known =
        isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
        inner.getNumResults() == 1 && inner.getNumRegions() == 0;
    if (!known || !inner.getResult(0).getType().isIntOrFloat())
      return inner.emitError("expected a scalar op of arith or math in a "
                             "pointwise kernel, but got '")
             << inner.getName() << "'";
  }
  return success();
}

/// Buffers `checked` are floats that are computed in f32.
static LogicalResult checkFloats(Operation *op, const KernelRequest &request,
                                 ArrayRef<unsigned> checked) {
  for (unsigned buffer : checked)
    if (!isSingle(request.storage(buffer)))
      return op->emitOpError("expected f32, bf16 or f16 elements in buffer ")
             << buffer << ", but got " << request.storage(buffer);
  return success();
}

static LogicalResult checkParam(Operation *op, const KernelRequest &request,
                                StringRef name) {
  if (request.params.get(name))
    return success();
  return op->emitOpError("expected parameter '")
         << name << "' of kernel '" << request.kernel << "'";
}

static LogicalResult checkCount(Operation *op, const KernelRequest &request,
                                unsigned buffer, int64_t count) {
  if (request.count(buffer) == count)
    return success();
  return op->emitOpError("expected ")
         << count << " elements in buffer " << buffer << ", but got "
         << request.count(buffer);
}

/// The last element that strides reach from an offset is within the buffer.
static LogicalResult checkReach(Operation *op, const KernelRequest &request,
                                unsigned buffer, StringRef side) {
  SmallVector<int64_t> shape = request.getInts("shape"),
                       strides = request.getInts((side + "_strides").str());
  if (strides.size() != shape.size())
    return op->emitOpError("expected ")
           << shape.size() << " " << side << "_strides, but got "
           << strides.size();
  int64_t low = request.getInt((side + "_offset").str()), high = low;
  for (auto [size, stride] : llvm::zip_equal(shape, strides))
    (stride < 0 ? low : high) += (size - 1) * stride;
  if (low < 0 || high >= request.count(buffer))
    return op->emitOpError("expected ")
           << side << " elements within the " << request.count(buffer)
           << " of the buffer, but strides reach from " << low << " to "
           << high;
  return success();
}

static LogicalResult checkRope(Operation *op, const KernelRequest &request) {
  ArrayRef<int64_t> shape = request.buffers[0].getShape();
  if (shape.size() != 4 || shape[3] % 2 != 0)
    return op->emitOpError("expected rank 4 and an even last dimension, but "
                           "got ")
           << request.buffers[0];
  size_t frequencies = request.getReals("frequencies").size();
  if (static_cast<int64_t>(frequencies) != shape[3] / 2)
    return op->emitOpError("expected ")
           << shape[3] / 2 << " frequencies, but got " << frequencies;
  return checkFloats(op, request, {0, 1});
}

/// `reads` and what the flags of an update say of optional scalars agree.
static LogicalResult checkUpdate(Operation *op, const KernelRequest &request,
                                 unsigned tensors, unsigned scalars) {
  unsigned expected = tensors + scalars +
                      (request.getInt("has_factor") ? 1 : 0) +
                      (request.getInt("has_decay") ? 1 : 0);
  if (request.reads != expected)
    return op->emitOpError("expected ")
           << expected << " reads, as has_factor and has_decay say, but got "
           << request.reads;
  for (unsigned tensor : llvm::seq(tensors))
    if (failed(checkCount(op, request, tensor, request.count(0))) ||
        failed(checkFloats(op, request, {tensor})))
      return failure();
  return success();
}

static LogicalResult checkNorm(Operation *op, const KernelRequest &request,
                               unsigned in, unsigned weight) {
  if (failed(checkFloats(op, request, {in, weight})))
    return failure();
  return checkCount(op, request, weight, request.width(in));
}

LogicalResult nlp::rt::checkRequest(Operation *op,
                                    const KernelRequest &request) {
  StringRef kernel = request.kernel;
  if (kernel == "pointwise")
    return checkBody(op, *request.body);
  if (kernel == "fill")
    return checkParam(op, request, "value");
  if (kernel == "copy") {
    if (failed(checkParam(op, request, "shape")) ||
        failed(checkReach(op, request, 0, "in")))
      return failure();
    return checkReach(op, request, 1, "out");
  }
  if (kernel == "column_sum") {
    if (request.count(0) % request.count(1) != 0)
      return op->emitOpError("expected rows of ")
             << request.count(1) << " elements, but got " << request.count(0)
             << " elements in all";
    return checkFloats(op, request, {0, 1});
  }
  if (kernel == "rope")
    return checkRope(op, request);
  if (kernel == "dropout") {
    if (failed(checkParam(op, request, "rate")) ||
        failed(checkParam(op, request, "site")))
      return failure();
    double rate = request.getReal("rate");
    if (!(rate >= 0.0 && rate < 1.0))
      return op->emitOpError("expected a rate in [0, 1), but got ") << rate;
    return checkFloats(op, request, {0, 3});
  }
  if (kernel == "layer_norm" || kernel == "rms_norm") {
    if (failed(checkParam(op, request, "epsilon")))
      return failure();
    return checkNorm(op, request, 0, 1);
  }
  if (kernel == "layer_norm_grad" || kernel == "rms_norm_grad")
    return checkNorm(op, request, 1, 2);
  if (kernel == "cross_entropy" || kernel == "cross_entropy_grad") {
    unsigned logits = kernel == "cross_entropy" ? 0 : 1;
    if (failed(checkParam(op, request, "normalizer")) ||
        failed(checkFloats(op, request, {logits})))
      return failure();
    return checkCount(op, request, logits + 1, request.rows(logits));
  }
  if (kernel == "square_sum")
    return checkCount(op, request, 1,
                      llvm::divideCeil(request.count(0), kBlockElements));
  if (kernel == "adamw")
    return checkUpdate(op, request, 4, 5);
  if (kernel == "sgd")
    return checkUpdate(op, request, 3, 2);
  return success();
}

/// The last write is a workspace that suffices, where one is needed.
static LogicalResult checkWorkspace(LaunchOp launch, int64_t threads) {
  FailureOr<int64_t> needed = getKernelWorkspaceBytes(launch, threads);
  if (failed(needed))
    return failure();
  unsigned writes = lookupKernel(launch.getKernel())->writes;
  int64_t given = 0;
  if (launch.getOuts().size() > writes)
    given = getBufferBytes(cast<MemRefType>(launch.getOuts().back().getType()));
  if (given < *needed)
    return launch.emitOpError("expected a workspace of ")
           << *needed << " bytes, but got " << given
           << " (-nlprt-add-workspaces adds it)";
  return success();
}

LogicalResult nlp::rt::checkProgram(ProgramOp program) {
  if (!program.getArenaBytes())
    return program.emitOpError("expected arena_bytes: -nlprt-plan-memory must "
                               "run first");
  auto result = program.walk([&](Operation *op) {
    bool placed = true;
    if (auto buffer = dyn_cast<BufferOp>(op))
      placed = buffer.getOffsets().has_value();
    if (auto alloc = dyn_cast<AllocOp>(op))
      placed = alloc.getOffset().has_value();
    if (!placed) {
      op->emitOpError("expected an arena offset: -nlprt-plan-memory must run "
                      "first");
      return WalkResult::interrupt();
    }
    LogicalResult checked = success();
    if (auto launch = dyn_cast<LaunchOp>(op))
      checked = checkWorkspace(launch, program.getThreads());
    else if (isa<PointwiseOp>(op))
      checked = checkRequest(op, makeRequest(op));
    return failed(checked) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
