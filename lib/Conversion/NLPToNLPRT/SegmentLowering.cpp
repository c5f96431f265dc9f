//===- SegmentLowering.cpp - From one segment to one routine ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SegmentLowering.h"
#include "PlaceUses.h"
#include "nlp/Dialect/NLPRT/IR/KernelCatalogue.h"
#include "nlprt/nlprt.h"

using namespace mlir;
using namespace nlp;

MemRefType nlp::getBufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

int64_t nlp::getDType(Type element) {
  if (element.isF32())
    return NLPRT_F32;
  if (element.isBF16())
    return NLPRT_BF16;
  if (element.isF16())
    return NLPRT_F16;
  if (element.isF64())
    return NLPRT_F64;
  if (element.isInteger(8))
    return NLPRT_I8;
  if (element.isInteger(32))
    return NLPRT_I32;
  assert(element.isInteger(64) && "element type outside of the dialect");
  return NLPRT_I64;
}

FailureOr<rt::BufferOp>
ProgramBuffers::getOrCreate(StringRef name, Location loc, MemRefType type,
                            rt::BufferKind kind, rt::Category category,
                            int64_t port) {
  rt::BufferOp &buffer = byName[name];
  if (!buffer) {
    auto builder = OpBuilder::atBlockEnd(&program.getBody().front());
    buffer = rt::BufferOp::create(
        builder, loc, name, /*sym_visibility=*/nullptr, type, kind, category,
        /*instances=*/1, port, /*init=*/0, /*init_scale=*/llvm::APFloat(0.0),
        /*decay=*/false, /*frozen=*/false, /*offsets=*/nullptr);
  }
  if (buffer.getKind() != kind || buffer.getType() != type)
    return emitError(loc, "expected one kind and type of buffer @")
               << name << ", but got " << stringifyBufferKind(buffer.getKind())
               << " of " << buffer.getType() << " and "
               << stringifyBufferKind(kind) << " of " << type,
           failure();
  return buffer;
}

const LoweringTable &LoweringTable::get() {
  static const LoweringTable table = [] {
    LoweringTable all;
    addAttentionLowerings(all);
    addLossLowerings(all);
    addMatmulLowerings(all);
    addNormLowerings(all);
    addOptimizerLowerings(all);
    addPointwiseLowerings(all);
    addShapeLowerings(all);
    addStepLowerings(all);
    return all;
  }();
  return table;
}

const LoweringTable::Lowering *LoweringTable::lookup(Operation *op) const {
  auto it = table.find(op->getName().getTypeID());
  return it == table.end() ? nullptr : &it->second;
}

SegmentLowering::SegmentLowering(ProgramBuffers &program, rt::RoutineOp routine)
    : builder(OpBuilder::atBlockEnd(&routine.getBody().front())),
      program(program), routine(routine) {}

NamedAttribute SegmentLowering::getInt(StringRef name, int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}
NamedAttribute SegmentLowering::getReal(StringRef name, double value) {
  return builder.getNamedAttr(name, builder.getF64FloatAttr(value));
}
NamedAttribute SegmentLowering::getInts(StringRef name,
                                        ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}

Value SegmentLowering::getBuffer(Value tensor) const {
  Value buffer = buffers.lookup(tensor);
  assert(buffer && "operand is lowered before its use");
  return buffer;
}

SmallVector<Value> SegmentLowering::getBuffers(ValueRange tensors) const {
  return llvm::map_to_vector(tensors,
                             [&](Value tensor) { return getBuffer(tensor); });
}

Value SegmentLowering::getProgramBuffer(rt::BufferOp buffer, Location loc) {
  Value &value = gets[buffer];
  if (!value) {
    // At the routine's start, so that it dominates every use.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&routine.getBody().front());
    value = rt::GetOp::create(builder, loc, buffer.getType(),
                              FlatSymbolRefAttr::get(buffer.getSymNameAttr()));
  }
  return value;
}

bool SegmentLowering::crossesTurn(OpResult result) const {
  return turn && result.getOwner()->isBeforeInBlock(turn) &&
         llvm::any_of(result.getUsers(), [&](Operation *user) {
           return turn->isBeforeInBlock(user);
         });
}

SlotAccumulateOp SegmentLowering::getAddition(OpResult result) const {
  auto add = dyn_cast_or_null<SlotAccumulateOp>(destinations.lookup(result));
  return add && !overwrites(add) ? add : SlotAccumulateOp();
}

Value SegmentLowering::makeBuffer(OpResult result) {
  if (Value made = buffers.lookup(result))
    return made;
  Location loc = result.getLoc();
  Value buffer;
  if (auto join = joins.find(result); join != joins.end()) {
    auto [whole, bytes] = join->second;
    Value source = makeBuffer(whole);
    buffer = rt::ViewOp::create(builder, loc, getBufferType(result.getType()),
                                source, bytes);
  } else if (Operation *store = destinations.lookup(result)) {
    StringRef name;
    if (auto assign = dyn_cast<AssignOp>(store))
      name = program.symbols[assign.getSymbol()];
    else if (auto add = dyn_cast<SlotAccumulateOp>(store))
      name = program.slots[add.getSlot()];
    else
      name = program.slots[cast<SlotStoreOp>(store).getSlot()];
    buffer = getProgramBuffer(program.byName[name], loc);
  } else {
    buffer = rt::AllocOp::create(builder, loc, getBufferType(result.getType()),
                                 crossesTurn(result) ? rt::Category::Activations
                                                     : rt::Category::Transients,
                                 /*offset=*/nullptr);
  }
  setBuffer(result, buffer);
  return buffer;
}

rt::LaunchOp SegmentLowering::launchOn(Operation *op, StringRef kernel,
                                       ValueRange inBuffers,
                                       ValueRange outBuffers,
                                       ArrayRef<NamedAttribute> params) {
  assert(rt::lookupKernel(kernel) && "kernel is in the catalogue");
  auto launch =
      rt::LaunchOp::create(builder, op->getLoc(), kernel, inBuffers, outBuffers,
                           builder.getDictionaryAttr(params));
  if (auto cost = dyn_cast<CostModelOpInterface>(op))
    launch.setFlops(cost.getFlops());
  return launch;
}

void SegmentLowering::launch(Operation *op, StringRef kernel, ValueRange ins,
                             ArrayRef<NamedAttribute> params) {
  SmallVector<Value> outs;
  for (OpResult result : op->getResults())
    outs.push_back(makeBuffer(result));
  launchOn(op, kernel, getBuffers(ins), outs, params);
}

bool SegmentLowering::overwrites(SlotAccumulateOp add) const {
  return program.microBatches == 1 && program.firstAdditions.contains(add);
}

void SegmentLowering::findJoins(SegmentOp segment) {
  for (Operation &op : segment.getBody().front())
    for (OpResult result : op.getResults()) {
      std::optional<JoinedPart> join = getJoin(result);
      if (join && !destinations.contains(join->whole) &&
          !destinations.contains(result))
        joins[result] = {join->whole, join->offsetBytes};
    }
}

LogicalResult SegmentLowering::findDestinations(SegmentOp segment) {
  PlaceUses uses(segment.getBody().front());
  for (const PlaceWrite &write : uses.getWrites()) {
    if (Operation *stale = uses.findStaleUse(write))
      return stale->emitOpError("reads ")
             << write.place << " as it was before it is written";
    auto add = dyn_cast<SlotAccumulateOp>(write.op);
    auto result = dyn_cast<OpResult>(write.value);
    bool isDirect = !add || overwrites(add) || mayAddInPlace(result);
    if (isDirect && isPlaceable(result) && !destinations.contains(result) &&
        uses.takePlace(write, result))
      destinations[result] = write.op;
  }
  return success();
}

LogicalResult SegmentLowering::lower(Operation *op) {
  if (const LoweringTable::Lowering *lowering = LoweringTable::get().lookup(op))
    return (*lowering)(op, *this);
  if (auto pointwise = dyn_cast<ScalarDefinitionOpInterface>(op))
    return lowerPointwise(pointwise, *this);
  return op->emitOpError("has no kernel to run it");
}

/// What an op becomes stands behind all that was there.
LogicalResult SegmentLowering::lowerAndShow(Operation *op,
                                            LaunchVisitor visit) {
  Block &block = routine.getBody().front();
  Operation *last = block.empty() ? nullptr : &block.back();
  if (failed(lower(op)))
    return failure();
  if (block.empty())
    return success();
  for (Operation *made = last ? last->getNextNode() : &block.front(); made;
       made = made->getNextNode())
    if (auto launch = dyn_cast<rt::LaunchOp>(made))
      if (failed(visit(op, launch)))
        return failure();
  return success();
}

LogicalResult SegmentLowering::run(SegmentOp segment, LaunchVisitor visit) {
  for (auto op : segment.getBody().front().getOps<TurnOp>())
    turn = op;
  if (failed(findDestinations(segment)))
    return failure();
  findJoins(segment);
  for (Operation &op : segment.getBody().front())
    if (failed(visit ? lowerAndShow(&op, visit) : lower(&op)))
      return failure();
  return success();
}
