//===- NLPRTDialect.cpp - The nlprt dialect: registration, verifiers ------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "nlp/Dialect/NLPRT/IR/KernelCatalogue.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nlp::rt;

#include "nlp/Dialect/NLPRT/IR/NLPRTDialect.cpp.inc"
#include "nlp/Dialect/NLPRT/IR/NLPRTEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nlp/Dialect/NLPRT/IR/NLPRTAttrs.cpp.inc"

#include "nlp/Dialect/NLPRT/IR/NLPRTInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "nlp/Dialect/NLPRT/IR/NLPRTOps.cpp.inc"

void NLPRTDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nlp/Dialect/NLPRT/IR/NLPRTAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLPRT/IR/NLPRTOps.cpp.inc"
      >();
}

bool nlp::rt::isBufferType(Type type) {
  constexpr int64_t maxBytes = int64_t(1) << 56;
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getLayout().isIdentity() || memref.getMemorySpace() ||
      !memref.getElementType().isIntOrFloat())
    return false;
  int64_t bytes = llvm::divideCeil(memref.getElementTypeBitWidth(), 8);
  for (int64_t size : memref.getShape()) {
    if (size < 1 || size > maxBytes / bytes) // dynamic sizes are negative
      return false;
    bytes *= size;
  }
  return true;
}

int64_t nlp::rt::getBufferBytes(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

Value nlp::rt::getBufferRoot(Value buffer, int64_t *offset) {
  while (auto view = buffer.getDefiningOp<ViewOp>()) {
    if (offset)
      *offset += view.getOffset();
    buffer = view.getSource();
  }
  return buffer;
}

static int64_t getCount(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getNumElements();
}

static Type getElement(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

LogicalResult RunAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              FlatSymbolRefAttr routine, int64_t microBatch) {
  if (microBatch < 0) // (C1)
    return emitError() << "expected a micro-batch of 0 or more, but got "
                       << microBatch;
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<BufferOp, RoutineOp>(op)) // (C1)
      return op.emitOpError("expected only buffers and routines in a program");
  int64_t runs = getRuns().size();
  for (Attribute attr : getRuns()) {
    auto run = cast<RunAttr>(attr);
    if (!isa_and_nonnull<RoutineOp>(
            mlir::SymbolTable::lookupSymbolIn(*this, run.getRoutine()))) // (C2)
      return emitOpError("expected a routine of this program, but a run names ")
             << run.getRoutine();
    if (run.getMicroBatch() >= runs) // (C3)
      return emitOpError("expected micro-batches numbered from 0, but got ")
             << run.getMicroBatch() << " in " << runs << " runs";
  }
  int64_t threads = getThreads();
  if (threads < 1 || threads > 4096) // (C4)
    return emitOpError("expected 1 to 4096 threads, but got ") << threads;
  const std::pair<StringRef, int64_t> sizes[] = {
      {"global_batch", getGlobalBatch()},
      {"micro_batch", getMicroBatch()},
      {"seq_len", getSeqLen()},
      {"vocab_size", getVocabSize()}};
  for (auto [name, size] : sizes)
    if (size < 1 || size > std::numeric_limits<int32_t>::max()) // (C5)
      return emitOpError("expected ")
             << name << " of 1 to 2^31 - 1, but got " << size;
  if (int64_t bytes = getArenaBytes().value_or(0); bytes < 0) // (C4)
    return emitOpError("expected arena_bytes of 0 or more, but got ") << bytes;
  return success();
}

LogicalResult BufferOp::verify() {
  int64_t instances = getInstances();
  if (instances < 1 || (instances > 1 && getKind() != BufferKind::Slot)) // (C1)
    return emitOpError("expected one instance, or more for a slot, but got ")
           << instances;
  int64_t runs = cast<ProgramOp>((*this)->getParentOp()).getRuns().size();
  if (instances > 1 && instances > runs) // (C1)
    return emitOpError("expected no more instances than the ")
           << runs << " runs of the program, but got " << instances;
  if (std::optional<ArrayRef<int64_t>> offsets = getOffsets())
    if (offsets->size() != getInstances() ||
        llvm::any_of(*offsets, [](int64_t offset) {
          return offset < 0 || offset % 64 != 0;
        })) // (C2)
      return emitOpError("expected ")
             << getInstances() << " offsets, multiples of 64";
  return success();
}

LogicalResult RoutineOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<GetOp, AllocOp, ViewOp, KernelOpInterface>(op)) // (C1)
      return op.emitOpError("expected only buffers and launches in a routine");
  return success();
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto program = (*this)->getParentOfType<ProgramOp>();
  auto buffer = program
                    ? tables.lookupSymbolIn<BufferOp>(program, getBufferAttr())
                    : BufferOp();
  if (!buffer || buffer.getType() != getResult().getType()) // (C1)
    return emitOpError("expected a buffer of type ")
           << getResult().getType() << ", but got " << getBufferAttr();
  return success();
}

LogicalResult AllocOp::verify() {
  if (std::optional<int64_t> offset = getOffset())
    if (*offset < 0 || *offset % 64 != 0) // (C1)
      return emitOpError(
                 "expected an offset that is a multiple of 64, but got ")
             << *offset;
  return success();
}

LogicalResult ViewOp::verify() {
  int64_t source = getBufferBytes(cast<MemRefType>(getSource().getType())),
          result = getBufferBytes(cast<MemRefType>(getResult().getType())),
          offset = getOffset();
  if (offset < 0 || offset > source || result > source - offset) // (C1)
    return emitOpError("expected a view within the ")
           << source << " bytes of its source, but got " << result
           << " bytes from " << offset;
  int64_t element = llvm::divideCeil(
      cast<MemRefType>(getResult().getType()).getElementTypeBitWidth(), 8);
  if (offset % element != 0) // (C2)
    return emitOpError("expected an offset that is a multiple of ")
           << element << ", but got " << offset;
  return success();
}

LogicalResult LaunchOp::verify() {
  const KernelInfo *kernel = lookupKernel(getKernel());
  if (!kernel) // (C1)
    return emitOpError("expected a kernel of the catalogue, but got \"")
           << getKernel() << "\"";
  if (getIns().size() < kernel->minReads ||
      getIns().size() > kernel->maxReads) // (C2)
    return emitOpError("expected ")
           << kernel->minReads << " to " << kernel->maxReads
           << " reads, but got " << getIns().size();
  if (getOuts().size() != kernel->writes &&
      getOuts().size() != kernel->writes + 1) // (C2)
    return emitOpError("expected ")
           << kernel->writes << " writes and at most one workspace, but got "
           << getOuts().size();
  return success();
}

bool LaunchOp::canShare(unsigned write, unsigned read) {
  return llvm::is_contained(lookupKernel(getKernel())->shared,
                            std::pair<unsigned, unsigned>(write, read));
}

LogicalResult PointwiseOp::verifyRegions() {
  if (getOuts().empty())
    return emitOpError("expected at least one write");
  int64_t count = getCount(getOuts().front());
  for (Value out : getOuts())
    if (getCount(out) != count) // (C1)
      return emitOpError("expected writes of ") << count << " elements";
  for (Value in : getIns())
    if (getCount(in) == 0 || count % getCount(in) != 0) // (C1)
      return emitOpError("expected reads whose number of elements divides ")
             << count << ", but got " << getCount(in);
  Block &body = getBody().front();
  if (body.getNumArguments() != getIns().size() ||
      llvm::any_of(llvm::zip(body.getArguments(), getIns()), [](auto pair) {
        return std::get<0>(pair).getType() != getElement(std::get<1>(pair));
      })) // (C2)
    return emitOpError("expected one region argument for each read, of its "
                       "element type");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getOuts().size() ||
      llvm::any_of(llvm::zip(yield.getValues(), getOuts()), [](auto pair) {
        return std::get<0>(pair).getType() != getElement(std::get<1>(pair));
      })) // (C3)
    return emitOpError("expected one yielded value for each write, of its "
                       "element type");
  return success();
}

bool PointwiseOp::canShare(unsigned write, unsigned read) {
  Value out = getOuts()[write], in = getIns()[read];
  return getCount(out) == getCount(in) && getElement(out) == getElement(in);
}

LogicalResult AccumulateOp::verify() {
  if (getIns().size() != 1 || getOuts().size() != 1 ||
      getIns().front().getType() != getOuts().front().getType() ||
      !isa<FloatType>(getElement(getIns().front()))) // (C1)
    return emitOpError("expected one read and one write of the same float "
                       "type");
  return success();
}

bool AccumulateOp::canShare(unsigned, unsigned) { return false; }
