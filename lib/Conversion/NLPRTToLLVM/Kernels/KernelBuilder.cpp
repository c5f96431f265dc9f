//===- KernelBuilder.cpp - Functions, memory and loops of kernels ---------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is accessed through LLVM pointers with the alignment of an element,
// since rows need not start at a vector's boundary. Loops over counts that are
// known here have no remainder loop: what is left over is written out, and the
// last vector is masked.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nlp::rt;

KernelBuilder::KernelBuilder(ModuleOp module, StringRef name,
                             ArrayRef<Type> storageTypes)
    : b(module.getLoc(), module.getContext()), module(module) {
  b.setInsertionPointToEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {i64(), i64(), pointer});
  function = LLVM::LLVMFuncOp::create(b, name, type, LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  beginItem = wrap(entry->getArgument(0));
  endItem = wrap(entry->getArgument(1));
  bufferArray = wrap(entry->getArgument(2));
  for (auto [number, storage] : llvm::enumerate(storageTypes)) {
    Value place = LLVM::GEPOp::create(
        b, pointer, pointer, bufferArray.value,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
    buffers.push_back({wrap(LLVM::LoadOp::create(b, pointer, place)), storage});
  }
}

void KernelBuilder::finish() { LLVM::ReturnOp::create(b, ValueRange{}); }

Buffer KernelBuilder::dynamicBuffer(Val number, Type storage) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value place = LLVM::GEPOp::create(b, pointer, pointer, bufferArray.value,
                                    ValueRange{number.value});
  return {wrap(LLVM::LoadOp::create(b, pointer, place)), storage};
}

Buffer KernelBuilder::makeTable(DenseElementsAttr values, Type element) {
  std::string name = (function.getSymName() + "_table" + Twine(tables++)).str();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  auto type = LLVM::LLVMArrayType::get(element, values.getNumElements());
  auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, values);
  b.setInsertionPointToStart(&function.getBody().front());
  return {wrap(LLVM::AddressOfOp::create(b, global)), element};
}

Buffer KernelBuilder::table(ArrayRef<int64_t> values) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, i64());
  return makeTable(DenseElementsAttr::get(type, values), i64());
}

Buffer KernelBuilder::table(ArrayRef<double> values) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, f64());
  return makeTable(DenseElementsAttr::get(type, values), f64());
}

Type KernelBuilder::vectorOf(Type element) {
  return VectorType::get({kLanes}, element);
}

/// The constant of one attribute, at the head of the function.
static Value makeConstant(ImplicitLocOpBuilder &b, LLVM::LLVMFuncOp function,
                          llvm::DenseMap<Attribute, Value> &constants,
                          TypedAttr attr) {
  Value &value = constants[attr];
  if (!value) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    value = arith::ConstantOp::create(b, attr);
  }
  return value;
}

Val KernelBuilder::constant(Type type, double number) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, static_cast<Attribute>(attr));
  return wrap(makeConstant(b, function, constants, attr));
}

Val KernelBuilder::constant(Type type, int64_t number) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  TypedAttr attr = b.getIntegerAttr(
      element,
      APInt(64, static_cast<uint64_t>(number)).zextOrTrunc(element.getWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, static_cast<Attribute>(attr));
  return wrap(makeConstant(b, function, constants, attr));
}

Val KernelBuilder::lanes(Type element) {
  SmallVector<APInt> numbers;
  for (int64_t lane : llvm::seq<int64_t>(0, kLanes))
    numbers.push_back(APInt(element.getIntOrFloatBitWidth(), lane));
  auto attr = DenseElementsAttr::get(cast<VectorType>(vectorOf(element)),
                                     ArrayRef<APInt>(numbers));
  return wrap(makeConstant(b, function, constants, attr));
}

/// The mask of the last vector of a row of `count` elements.
Val KernelBuilder::tailMask(int64_t count) {
  SmallVector<bool> bits;
  for (int64_t lane : llvm::seq<int64_t>(0, kLanes))
    bits.push_back(lane < count % kLanes);
  auto attr = DenseElementsAttr::get(cast<VectorType>(vectorOf(b.getI1Type())),
                                     ArrayRef<bool>(bits));
  return wrap(makeConstant(b, function, constants, attr));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Buffer Buffer::from(Val element) const {
  auto &b = pointer.kernel->ops();
  Value moved = LLVM::GEPOp::create(b, pointer.type(), storage, pointer.value,
                                    ValueRange{element.value});
  return {pointer.kernel->wrap(moved), storage};
}

static unsigned getBytes(Type storage) {
  return llvm::divideCeil(storage.getIntOrFloatBitWidth(), 8);
}

/// What elements of type `storage` are computed in.
static Type getComputeType(Type storage) {
  return storage.isBF16() || storage.isF16()
             ? Type(Float32Type::get(storage.getContext()))
             : storage;
}

Val KernelBuilder::address(Buffer buffer, Val index) {
  return buffer.from(index).pointer;
}

Val KernelBuilder::load(Buffer buffer, At at) {
  Type type = vectorOf(buffer.storage);
  Value place = address(buffer, at.index).value, loaded;
  if (at.mask) {
    Val zero = isa<FloatType>(buffer.storage) ? constant(type, 0.0)
                                              : constant(type, int64_t(0));
    loaded = LLVM::MaskedLoadOp::create(
        b, type, place, at.mask.value, zero.value,
        b.getI32IntegerAttr(getBytes(buffer.storage)), UnitAttr());
  } else {
    loaded = LLVM::LoadOp::create(b, type, place, getBytes(buffer.storage));
  }
  return convert(wrap(loaded), getComputeType(buffer.storage));
}

void KernelBuilder::store(Buffer buffer, At at, Val value) {
  value = convert(value, buffer.storage);
  if (!isa<VectorType>(value.type()))
    value = splat(value);
  Value place = address(buffer, at.index).value;
  if (at.mask)
    LLVM::MaskedStoreOp::create(b, value.value, place, at.mask.value,
                                b.getI32IntegerAttr(getBytes(buffer.storage)));
  else
    LLVM::StoreOp::create(b, value.value, place, getBytes(buffer.storage));
}

Val KernelBuilder::loadScalar(Buffer buffer, Val index) {
  Value loaded =
      LLVM::LoadOp::create(b, buffer.storage, address(buffer, index).value);
  return convert(wrap(loaded), getComputeType(buffer.storage));
}

void KernelBuilder::storeScalar(Buffer buffer, Val index, Val value) {
  LLVM::StoreOp::create(b, convert(value, buffer.storage).value,
                        address(buffer, index).value);
}

Val KernelBuilder::gather(Buffer buffer, Val index, int64_t stride, At at) {
  Val places = index + lanes(i64()) * stride;
  auto pointers = VectorType::get({kLanes}, buffer.pointer.type());
  Value addresses =
      LLVM::GEPOp::create(b, pointers, buffer.storage, buffer.pointer.value,
                          ValueRange{places.value});
  Type type = vectorOf(buffer.storage);
  Val zero = isa<FloatType>(buffer.storage) ? constant(type, 0.0)
                                            : constant(type, int64_t(0));
  Val mask = at.mask ? at.mask : constant(vectorOf(b.getI1Type()), int64_t(1));
  Value loaded = LLVM::masked_gather::create(
      b, type, addresses, mask.value, ValueRange{zero.value},
      b.getI32IntegerAttr(getBytes(buffer.storage)));
  return convert(wrap(loaded), getComputeType(buffer.storage));
}

void KernelBuilder::prefetch(Buffer buffer, At at, int64_t ahead,
                             bool toWrite) {
  constexpr unsigned firstLevel = 3, secondLevel = 2, data = 1;
  LLVM::Prefetch::create(b, address(buffer, at.index + ahead).value, toWrite,
                         toWrite ? firstLevel : secondLevel, data);
}

Val KernelBuilder::keep(At at, Val value, double neutral) {
  return at.mask ? select(at.mask, value, constantLike(neutral, value)) : value;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

Vals KernelBuilder::forRange(Val low, Val high, int64_t step, Vals init,
                             llvm::function_ref<Vals(Val, Vals)> body) {
  SmallVector<Value> initial;
  for (Val value : init)
    initial.push_back(value.value);
  auto loop =
      scf::ForOp::create(b, low.value, high.value, index(step).value, initial);
  {
    OpBuilder::InsertionGuard guard(b);
    // Without carried values the builder has added the terminator.
    if (init.empty())
      b.setInsertionPoint(loop.getBody()->getTerminator());
    else
      b.setInsertionPointToStart(loop.getBody());
    Vals carried;
    for (Value value : loop.getRegionIterArgs())
      carried.push_back(wrap(value));
    Vals next = body(wrap(loop.getInductionVar()), carried);
    if (!init.empty()) {
      SmallVector<Value> yielded;
      for (Val value : next)
        yielded.push_back(value.value);
      scf::YieldOp::create(b, yielded);
    }
  }
  Vals results;
  for (Value value : loop.getResults())
    results.push_back(wrap(value));
  return results;
}

void KernelBuilder::forRange(Val low, Val high, int64_t step,
                             llvm::function_ref<void(Val)> body) {
  forRange(low, high, step, {}, [&](Val i, Vals) {
    body(i);
    return Vals();
  });
}

void KernelBuilder::ifElse(Val condition, llvm::function_ref<void()> body,
                           llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, condition.value, bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
  if (otherwise) {
    b.setInsertionPoint(branch.elseYield());
    otherwise();
  }
}

void KernelBuilder::ifThen(Val condition, llvm::function_ref<void()> body) {
  ifElse(condition, body, nullptr);
}

void KernelBuilder::forItems(llvm::function_ref<void(Val)> body) {
  forRange(beginItem, endItem, 1, body);
}

void KernelBuilder::forRows(int64_t rows, int64_t perItem,
                            llvm::function_ref<void(Val)> body) {
  Val high = min(endItem * perItem, index(rows));
  forRange(beginItem * perItem, high, 1, body);
}

void KernelBuilder::forFlat(int64_t count, int64_t perItem,
                            llvm::function_ref<void(At)> body) {
  int64_t whole = count - count % kLanes;
  forRange(beginItem * perItem, min(endItem * perItem, index(whole)), kLanes,
           [&](Val i) { body({i, {}}); });
  if (whole == count)
    return;
  Val last = index((count - 1) / perItem);
  ifThen(endItem > last, [&] { body({index(whole), tailMask(count)}); });
}

void KernelBuilder::forVectors(int64_t count, llvm::function_ref<void(At)> body,
                               unsigned unroll) {
  foldVectors(
      count, {},
      [&](At at, Vals) {
        body(at);
        return Vals();
      },
      nullptr, unroll);
}

SmallVector<At> KernelBuilder::getVectors(Val first, int64_t count) {
  SmallVector<At> places;
  for (int64_t place = 0; place < count; place += kLanes)
    places.push_back(
        {first + place, place + kLanes <= count ? Val() : tailMask(count)});
  return places;
}

Vals KernelBuilder::foldVectors(
    int64_t count, Vals init, llvm::function_ref<Vals(At, Vals)> body,
    llvm::function_ref<Val(unsigned, Val, Val)> combine, unsigned unroll) {
  unsigned values = init.size();
  int64_t step = kLanes * unroll, unrolled = count - count % step;
  // Copy c of value v is carried[c * values + v].
  Vals carried;
  for ([[maybe_unused]] unsigned copy : llvm::seq(unroll))
    carried.append(init.begin(), init.end());
  auto update = [&](unsigned copy, At at, Vals &all) {
    auto first = all.begin() + copy * values;
    Vals next = body(at, Vals(first, first + values));
    llvm::copy(next, all.begin() + copy * values);
  };
  if (unrolled > 0)
    carried = forRange(index(0), index(unrolled), step, carried,
                       [&](Val i, Vals all) {
                         for (unsigned copy : llvm::seq(unroll))
                           update(copy, {i + copy * kLanes, {}}, all);
                         return all;
                       });
  int64_t place = unrolled;
  unsigned copy = 0;
  for (; place + kLanes <= count; place += kLanes)
    update(copy++, {index(place), {}}, carried);
  if (place < count)
    update(copy, {index(place), tailMask(count)}, carried);
  for (unsigned width = unroll; width > 1; width = (width + 1) / 2)
    for (unsigned c = (width + 1) / 2; c < width; ++c)
      for (unsigned v : llvm::seq(values)) {
        Val &into = carried[(c - (width + 1) / 2) * values + v];
        into = combine(v, into, carried[c * values + v]);
      }
  return Vals(carried.begin(), carried.begin() + values);
}

Vals KernelBuilder::sums(int64_t count, unsigned number,
                         llvm::function_ref<Vals(At)> terms, Type element,
                         unsigned unroll) {
  Vals totals = foldVectors(
      count, Vals(number, constant(vectorOf(element), 0.0)),
      [&](At at, Vals sums) {
        Vals added = terms(at);
        for (auto [sum, term] : llvm::zip_equal(sums, added))
          sum = sum + keep(at, term);
        return sums;
      },
      [](unsigned, Val a, Val b) { return a + b; }, unroll);
  for (Val &total : totals)
    total = horizontalSum(total);
  return totals;
}

Val KernelBuilder::sum(int64_t count, llvm::function_ref<Val(At)> term) {
  return sums(count, 1, [&](At at) { return Vals{term(at)}; }, f32())[0];
}

Val KernelBuilder::maximum(int64_t count, llvm::function_ref<Val(At)> term) {
  double lowest = -std::numeric_limits<double>::infinity();
  Vals result = foldVectors(
      count, {constant(vectorOf(f32()), lowest)},
      [&](At at, Vals best) {
        return Vals{max(keep(at, term(at), lowest), best[0])};
      },
      [&](unsigned, Val a, Val b) { return max(a, b); });
  return horizontalMax(result[0]);
}
