//===- CheckBuffers.cpp - Are buffers in the arena and what ports say? ----===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime would refuse when it starts is refused here already.
//
//===----------------------------------------------------------------------===//

#include "RoutineCode.h"
#include "nlprt/nlprt.h"
#include <cmath>

using namespace mlir;
using namespace nlp::rt;

/// All of the buffer is within the arena.
static LogicalResult checkPlace(Operation *op, int64_t arenaBytes) {
  SmallVector<int64_t> offsets;
  MemRefType type;
  if (auto buffer = dyn_cast<BufferOp>(op)) {
    type = cast<MemRefType>(buffer.getType());
    llvm::append_range(offsets,
                       buffer.getOffsets().value_or(ArrayRef<int64_t>()));
  } else if (auto alloc = dyn_cast<AllocOp>(op)) {
    type = cast<MemRefType>(alloc.getResult().getType());
    if (std::optional<int64_t> offset = alloc.getOffset())
      offsets.push_back(*offset);
  } else {
    return success();
  }
  if (offsets.empty())
    return op->emitOpError("expected an arena offset: -nlprt-plan-memory must "
                           "run first");
  int64_t bytes = getBufferBytes(type);
  for (int64_t offset : offsets)
    if (offset > arenaBytes - bytes)
      return op->emitOpError("expected ")
             << bytes << " bytes within the arena of " << arenaBytes
             << ", but got offset " << offset;
  return success();
}

/// The number of a port, the elements that it holds and their types.
static LogicalResult checkPort(BufferOp buffer, int64_t last, int64_t count,
                               llvm::function_ref<bool(Type)> isElement) {
  int64_t port = buffer.getPort();
  if (port < 0 || port > last)
    return buffer.emitOpError("expected port 0 to ")
           << last << ", but got " << port;
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getNumElements() != count || !isElement(type.getElementType()))
    return buffer.emitOpError("expected ")
           << count << " elements of a type that the port takes, but got "
           << type;
  return success();
}

static LogicalResult checkInit(BufferOp buffer) {
  int64_t init = buffer.getInit();
  if (init < NLPRT_INIT_ZEROS || init > NLPRT_INIT_NORMAL)
    return buffer.emitOpError("expected init 0, 1 or 2, but got ") << init;
  double scale = buffer.getInitScale().convertToDouble();
  if (!std::isfinite(scale))
    return buffer.emitOpError("expected a finite init_scale, but got ")
           << scale;
  if (!isa<FloatType>(cast<MemRefType>(buffer.getType()).getElementType()))
    return buffer.emitOpError("expected a parameter of floats, but got ")
           << buffer.getType();
  return success();
}

LogicalResult nlp::rt::checkBuffer(Operation *op, ProgramOp program) {
  if (failed(checkPlace(op, *program.getArenaBytes())))
    return failure();
  auto buffer = dyn_cast<BufferOp>(op);
  if (!buffer)
    return success();
  auto isId = [](Type type) {
    return type.isInteger(32) || type.isInteger(64);
  };
  auto isReal = [](Type type) { return type.isF32() || type.isF64(); };
  auto isNumber = [&](Type type) { return isId(type) || isReal(type); };
  switch (buffer.getKind()) {
  case BufferKind::Parameter:
    return checkInit(buffer);
  case BufferKind::Input:
    return checkPort(buffer, NLPRT_TARGETS,
                     program.getMicroBatch() * program.getSeqLen(), isId);
  case BufferKind::Scalar:
    return checkPort(buffer, NLPRT_FIRST_SEQUENCE, 1, isNumber);
  case BufferKind::Figure:
    return checkPort(buffer, NLPRT_GRAD_NORM, 1, isReal);
  default:
    return success();
  }
}
