//===- ShareBuffers.cpp - In-place writes ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward over each routine: where a launch is the first to write a buffer and
// the last to read another of the same size that it may share with, the second
// takes the place of the first. Linear in the uses.
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/Transforms/Passes.h"

namespace nlp::rt {
#define GEN_PASS_DEF_SHAREBUFFERS
#include "nlp/Dialect/NLPRT/Transforms/Passes.h.inc"
} // namespace nlp::rt

using namespace mlir;
using namespace nlp::rt;

namespace {
struct ShareBuffers : nlp::rt::impl::ShareBuffersBase<ShareBuffers> {
  using ShareBuffersBase::ShareBuffersBase;

  void runOnOperation() override;
};

/// First and last launch that touches each buffer of a routine.
struct Touches {
  llvm::DenseMap<Value, Operation *> first, last;
};
} // namespace

static int64_t getBytes(Value buffer) {
  return getBufferBytes(cast<MemRefType>(buffer.getType()));
}

/// The alloc of which `buffer` shows every byte, or null.
static AllocOp getWholeAlloc(Value buffer) {
  int64_t offset = 0;
  auto alloc = getBufferRoot(buffer, &offset).getDefiningOp<AllocOp>();
  if (!alloc || offset != 0 || getBytes(alloc.getResult()) != getBytes(buffer))
    return {};
  return alloc;
}

static Touches getTouches(RoutineOp routine) {
  Touches touches;
  for (auto op : routine.getBody().front().getOps<KernelOpInterface>())
    for (Value operand : op->getOperands()) {
      Value root = getBufferRoot(operand);
      touches.first.try_emplace(root, op);
      touches.last[root] = op;
    }
  return touches;
}

/// True where all of `op`'s uses of `root`, other than write `write`, are
/// reads that may share with that write.
static bool mayShare(KernelOpInterface op, unsigned write, Value root) {
  for (auto [number, read] : llvm::enumerate(op.getReads()))
    if (getBufferRoot(read) == root &&
        (!getWholeAlloc(read) || !op.canShare(write, number)))
      return false;
  return llvm::none_of(op.getWrites(), [&](Value other) {
    return getBufferRoot(other) == root;
  });
}

/// A buffer that `op` reads for the last time and whose place its write number
/// `write` may take, or null.
static AllocOp findPlace(KernelOpInterface op, unsigned write,
                         const Touches &touches) {
  for (Value read : op.getReads()) {
    AllocOp alloc = getWholeAlloc(read);
    if (alloc && touches.last.lookup(alloc.getResult()) == op &&
        getBytes(read) == getBytes(op.getWrites()[write]) &&
        mayShare(op, write, alloc.getResult()))
      return alloc;
  }
  return {};
}

static void shareRoutine(RoutineOp routine) {
  Touches touches = getTouches(routine);
  for (auto op : routine.getBody().front().getOps<KernelOpInterface>())
    for (unsigned write = 0; write < op.getWrites().size(); ++write) {
      AllocOp target = getWholeAlloc(op.getWrites()[write]);
      if (!target || touches.first.lookup(target.getResult()) != op)
        continue;
      AllocOp place = findPlace(op, write, touches);
      if (!place)
        continue;
      Value old = target.getResult(), kept = place.getResult();
      touches.last[kept] = touches.last.lookup(old);
      // What crosses from the forward to the backward pass stays that.
      if (target.getCategory() == Category::Activations)
        place.setCategory(Category::Activations);
      if (old.getType() != kept.getType()) {
        OpBuilder builder(target);
        builder.setInsertionPointAfter(place);
        kept = ViewOp::create(builder, target.getLoc(), old.getType(), kept);
      }
      old.replaceAllUsesWith(kept);
      target.erase();
    }
}

void ShareBuffers::runOnOperation() { getOperation().walk(shareRoutine); }
