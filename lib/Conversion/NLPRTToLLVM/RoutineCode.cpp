//===- RoutineCode.cpp - Functions of routines ------------------*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A routine is a straight line of calls. Before each call the addresses of its
// buffers go into one array on the stack; after it a status other than 0 is
// returned at once. An accumulation picks one of two kernels or parameters,
// which overwrite or add, by the number of the micro-batch.
//
//===----------------------------------------------------------------------===//

#include "RoutineCode.h"
#include "LibraryKernels.h"
#include "ProgramTables.h"
#include "nlp/Dialect/NLPRT/IR/KernelCatalogue.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nlp::rt;

/// The user-level place of a location: the first name in it, else the line.
static std::string getPlace(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    if (auto name = dyn_cast<NameLoc>(inner)) {
      place = name.getName().str();
      return WalkResult::interrupt();
    }
    if (auto line = dyn_cast<FileLineColLoc>(inner); line && place.empty())
      place = (line.getFilename().strref() + ":" + Twine(line.getLine())).str();
    return WalkResult::advance();
  });
  return place;
}

namespace {
class RoutineEmitter {
public:
  RoutineEmitter(RoutineOp routine, KernelSet &kernels, ConstantTables &tables)
      : routine(routine), kernels(kernels), tables(tables),
        module(routine->getParentOfType<ModuleOp>()),
        b(routine.getLoc(), routine.getContext()),
        pointer(LLVM::LLVMPointerType::get(routine.getContext())) {}

  void emit();

private:
  Value word(int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI64Type(),
                                    b.getI64IntegerAttr(value));
  }
  Value addressOf(StringRef symbol) {
    return LLVM::AddressOfOp::create(b, pointer, symbol);
  }
  Value move(Value base, int64_t bytes) {
    return bytes ? LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                                       ValueRange{word(bytes)})
                       .getResult()
                 : base;
  }
  Value getAddress(Value buffer);
  Value getInstance(BufferOp buffer);
  Value makeSite(Operation *op, StringRef kernel, int64_t flops, int64_t bytes);
  void setBuffers(ArrayRef<Value> addresses);
  LLVM::LLVMFuncOp declare(StringRef name, TypeRange arguments);
  void call(LLVM::LLVMFuncOp callee, ValueRange arguments);
  void parallel(Value site, Value function, int64_t items);
  void emitGenerated(Operation *op, const KernelRequest &request,
                     int64_t flops);
  void emitLibrary(LaunchOp launch, const LibraryKernel &library);
  void emitAccumulate(AccumulateOp accumulate);

  RoutineOp routine;
  KernelSet &kernels;
  ConstantTables &tables;
  ModuleOp module;
  ImplicitLocOpBuilder b;
  Type pointer;
  LLVM::LLVMFuncOp function;
  Value context, arena, microBatch, buffers;
  Block *exit = nullptr;
  llvm::DenseMap<Value, Value> roots;
};
} // namespace

/// The address of the copy of a slot that this micro-batch uses.
Value RoutineEmitter::getInstance(BufferOp buffer) {
  ArrayRef<int64_t> offsets = *buffer.getOffsets();
  if (offsets.size() == 1)
    return move(arena, offsets.front());
  Value number = LLVM::URemOp::create(b, microBatch, word(offsets.size()));
  Value table = tables.words(offsets).build(b);
  Value place = LLVM::GEPOp::create(b, pointer, b.getI64Type(), table,
                                    ValueRange{number});
  Value offset = LLVM::LoadOp::create(b, b.getI64Type(), place);
  return LLVM::GEPOp::create(b, pointer, b.getI8Type(), arena,
                             ValueRange{offset});
}

Value RoutineEmitter::getAddress(Value buffer) {
  int64_t offset = 0;
  Value root = getBufferRoot(buffer, &offset);
  if (auto alloc = root.getDefiningOp<AllocOp>())
    return move(arena, *alloc.getOffset() + offset);
  auto get = root.getDefiningOp<GetOp>();
  auto declared = SymbolTable::lookupNearestSymbolFrom<BufferOp>(
      routine, get.getBufferAttr());
  return move(getInstance(declared), offset);
}

Value RoutineEmitter::makeSite(Operation *op, StringRef kernel, int64_t flops,
                               int64_t bytes) {
  return addressOf(tables.record(Field::record(
      {tables.string(kernel), tables.string(getPlace(op->getLoc())),
       Field::word(flops), Field::word(bytes)})));
}

/// Stores addresses, null where absent, into the array on the stack.
void RoutineEmitter::setBuffers(ArrayRef<Value> addresses) {
  for (auto [number, address] : llvm::enumerate(addresses)) {
    Value place = LLVM::GEPOp::create(
        b, pointer, pointer, buffers,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
    Value stored = address;
    if (!stored)
      stored = LLVM::ZeroOp::create(b, pointer);
    LLVM::StoreOp::create(b, stored, place);
  }
}

LLVM::LLVMFuncOp RoutineEmitter::declare(StringRef name, TypeRange arguments) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  return LLVM::LLVMFuncOp::create(
      b, name,
      LLVM::LLVMFunctionType::get(b.getI32Type(), llvm::to_vector(arguments)));
}

/// Calls, and leaves the function where the status is not 0.
void RoutineEmitter::call(LLVM::LLVMFuncOp callee, ValueRange arguments) {
  Value status = LLVM::CallOp::create(b, callee, arguments).getResult();
  Value zero =
      LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(0));
  Value failed = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, status, zero);
  Block *next = function.addBlock();
  next->moveBefore(exit);
  LLVM::CondBrOp::create(b, failed, exit, ValueRange{status}, next,
                         ValueRange{});
  b.setInsertionPointToStart(next);
}

void RoutineEmitter::parallel(Value site, Value function, int64_t items) {
  auto callee = declare("nlprt_parallel",
                        {pointer, pointer, pointer, b.getI64Type(), pointer});
  call(callee, {context, site, function, word(items), buffers});
}

/// Bytes that a launch reads and writes; workspaces do not count.
static int64_t getTraffic(Operation *op, unsigned workspaces) {
  auto kernel = cast<KernelOpInterface>(op);
  int64_t bytes = 0;
  for (Value buffer : kernel.getReads())
    bytes += getBufferBytes(cast<MemRefType>(buffer.getType()));
  for (Value buffer : kernel.getWrites().drop_back(workspaces))
    bytes += getBufferBytes(cast<MemRefType>(buffer.getType()));
  return bytes;
}

void RoutineEmitter::emitGenerated(Operation *op, const KernelRequest &request,
                                   int64_t flops) {
  auto kernelOp = cast<KernelOpInterface>(op);
  const Generator *generator = lookupGenerator(request.kernel);
  SmallVector<Value> addresses;
  for (Value buffer : kernelOp.getReads())
    addresses.push_back(getAddress(buffer));
  for (Value buffer : kernelOp.getWrites())
    addresses.push_back(getAddress(buffer));
  setBuffers(addresses);
  int64_t bytes = getTraffic(op, generator->workspaceBytes ? 1 : 0);
  for (const KernelStage &stage : kernels.get(request)) {
    Value site = makeSite(op, request.kernel, flops, bytes);
    LLVM::LLVMFuncOp body = stage.function;
    parallel(site, addressOf(body.getSymName()), stage.items);
    flops = bytes = 0; // later stages add up what the first has computed
  }
}

void RoutineEmitter::emitLibrary(LaunchOp launch,
                                 const LibraryKernel &library) {
  const KernelInfo *info = lookupKernel(launch.getKernel());
  SmallVector<Value> addresses;
  for (Value buffer : launch.getIns())
    addresses.push_back(getAddress(buffer));
  addresses.resize(info->maxReads);
  for (Value buffer : launch.getOuts())
    addresses.push_back(getAddress(buffer));
  addresses.resize(info->maxReads + info->writes + 1);
  setBuffers(addresses);
  auto buildParams = [&](bool isFirst) {
    return tables.words(*getLibraryParams(launch, library, isFirst)).build(b);
  };
  Value params = buildParams(false);
  if (overwritesFirst(launch)) {
    Value first =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, microBatch, word(0));
    params = LLVM::SelectOp::create(b, first, buildParams(true), params);
  }
  unsigned workspaces = launch.getOuts().size() - info->writes;
  Value site = makeSite(launch, launch.getKernel(), launch.getFlops(),
                        getTraffic(launch, workspaces));
  auto callee = declare(("nlprt_" + launch.getKernel()).str(),
                        {pointer, pointer, pointer, pointer});
  call(callee, {context, site, params, buffers});
}

void RoutineEmitter::emitAccumulate(AccumulateOp accumulate) {
  KernelRequest request = makeRequest(accumulate);
  request.kernel = "add_to";
  KernelStage add = kernels.get(request).front();
  setBuffers({getAddress(accumulate.getIns().front()),
              getAddress(accumulate.getOuts().front())});
  Value function = addressOf(add.function.getSymName());
  if (accumulate.getFirst()) {
    request.kernel = "copy_flat";
    KernelStage copy = kernels.get(request).front();
    Value first =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, microBatch, word(0));
    function = LLVM::SelectOp::create(
        b, first, addressOf(copy.function.getSymName()), function);
  }
  Value site = makeSite(accumulate, "accumulate", request.count(0),
                        getTraffic(accumulate, 0));
  parallel(site, function, add.items);
}

void RoutineEmitter::emit() {
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(),
                                          {pointer, pointer, b.getI64Type()});
  function = LLVM::LLVMFuncOp::create(b, getRoutineFunction(routine), type,
                                      LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  context = entry->getArgument(0);
  arena = entry->getArgument(1);
  microBatch = entry->getArgument(2);
  exit = function.addBlock();
  exit->addArgument(b.getI32Type(), b.getLoc());
  b.setInsertionPointToStart(exit);
  LLVM::ReturnOp::create(b, exit->getArgument(0));

  b.setInsertionPointToStart(entry);
  size_t most = 1;
  for (auto op : routine.getBody().getOps<KernelOpInterface>())
    most = std::max<size_t>(most, op->getNumOperands() + 4);
  buffers = LLVM::AllocaOp::create(b, pointer, pointer, word(most));
  for (Operation &op : routine.getBody().front()) {
    b.setLoc(op.getLoc());
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (const LibraryKernel *library =
              lookupLibraryKernel(launch.getKernel()))
        emitLibrary(launch, *library);
      else
        emitGenerated(&op, makeRequest(&op), launch.getFlops());
    } else if (auto pointwise = dyn_cast<PointwiseOp>(op)) {
      emitGenerated(&op, makeRequest(&op), pointwise.getFlops());
    } else if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      emitAccumulate(accumulate);
    }
  }
  Value done =
      LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(0));
  LLVM::BrOp::create(b, done, exit);
}

void nlp::rt::emitRoutine(RoutineOp routine, KernelSet &kernels,
                          ConstantTables &tables) {
  RoutineEmitter(routine, kernels, tables).emit();
}
