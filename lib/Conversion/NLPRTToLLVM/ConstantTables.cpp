//===- ConstantTables.cpp - Constant data of a compiled program -*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantTables.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace nlp::rt;

Field Field::word(int64_t value) {
  Field field;
  field.bits = value;
  return field;
}

Field Field::real(double value) {
  Field field;
  field.kind = Kind::Real;
  field.bits = llvm::bit_cast<int64_t>(value);
  return field;
}

Field Field::address(StringRef symbol) {
  Field field;
  field.kind = Kind::Address;
  field.symbol = symbol;
  return field;
}

Field Field::record(ArrayRef<Field> fields) {
  Field field;
  field.kind = Kind::Record;
  field.fields.assign(fields.begin(), fields.end());
  return field;
}

Type Field::getType(MLIRContext *context) const {
  switch (kind) {
  case Kind::Word:
    return IntegerType::get(context, 64);
  case Kind::Real:
    return Float64Type::get(context);
  case Kind::Address:
    return LLVM::LLVMPointerType::get(context);
  case Kind::Record:
    SmallVector<Type> types;
    for (const Field &field : fields)
      types.push_back(field.getType(context));
    return LLVM::LLVMStructType::getLiteral(context, types);
  }
  llvm_unreachable("not a kind of field");
}

Value Field::build(ImplicitLocOpBuilder &b) const {
  Type type = getType(b.getContext());
  switch (kind) {
  case Kind::Word:
    return LLVM::ConstantOp::create(b, type, b.getI64IntegerAttr(bits));
  case Kind::Real:
    return LLVM::ConstantOp::create(
        b, type, b.getF64FloatAttr(llvm::bit_cast<double>(bits)));
  case Kind::Address:
    if (symbol.empty())
      return LLVM::ZeroOp::create(b, type);
    return LLVM::AddressOfOp::create(b, type, symbol);
  case Kind::Record:
    Value record = LLVM::UndefOp::create(b, type);
    for (auto [position, field] : llvm::enumerate(fields))
      record = LLVM::InsertValueOp::create(b, record, field.build(b),
                                           static_cast<int64_t>(position));
    return record;
  }
  llvm_unreachable("not a kind of field");
}

LLVM::GlobalOp ConstantTables::makeGlobal(Type type, StringRef name,
                                          Attribute value,
                                          LLVM::Linkage linkage) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  return LLVM::GlobalOp::create(b, type, /*isConstant=*/true, linkage, name,
                                value);
}

std::string ConstantTables::fresh(StringRef stem) {
  return (stem + Twine(number++)).str();
}

Field ConstantTables::string(StringRef text) {
  std::string ended = text.str();
  ended.push_back('\0');
  auto attr = StringAttr::get(module.getContext(), ended);
  std::string &symbol = shared[attr];
  if (symbol.empty()) {
    symbol = fresh("string");
    auto type = LLVM::LLVMArrayType::get(
        IntegerType::get(module.getContext(), 8), ended.size());
    makeGlobal(type, symbol, attr, LLVM::Linkage::Internal);
  }
  return Field::address(symbol);
}

Field ConstantTables::words(ArrayRef<int64_t> values) {
  if (values.empty())
    return Field::address("");
  auto i64 = IntegerType::get(module.getContext(), 64);
  auto attr = DenseElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(values.size())}, i64),
      values);
  std::string &symbol = shared[attr];
  if (symbol.empty()) {
    symbol = fresh("words");
    makeGlobal(LLVM::LLVMArrayType::get(i64, values.size()), symbol, attr,
               LLVM::Linkage::Internal);
  }
  return Field::address(symbol);
}

/// Fills in the initializer of `global`.
static void initialize(LLVM::GlobalOp global,
                       llvm::function_ref<Value(ImplicitLocOpBuilder &)> body) {
  ImplicitLocOpBuilder b(global.getLoc(), global.getContext());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, body(b));
}

Field ConstantTables::records(StringRef name, ArrayRef<Field> entries) {
  if (entries.empty())
    return Field::address("");
  Type element = entries.front().getType(module.getContext());
  auto type = LLVM::LLVMArrayType::get(element, entries.size());
  auto global = makeGlobal(type, name, Attribute(), LLVM::Linkage::Internal);
  initialize(global, [&](ImplicitLocOpBuilder &b) {
    Value array = LLVM::UndefOp::create(b, type);
    for (auto [position, entry] : llvm::enumerate(entries))
      array = LLVM::InsertValueOp::create(b, array, entry.build(b),
                                          static_cast<int64_t>(position));
    return array;
  });
  return Field::address(name);
}

void ConstantTables::define(StringRef name, const Field &record) {
  auto global = makeGlobal(record.getType(module.getContext()), name,
                           Attribute(), LLVM::Linkage::External);
  initialize(global, [&](ImplicitLocOpBuilder &b) { return record.build(b); });
}

std::string ConstantTables::record(const Field &record) {
  std::string name = fresh("record");
  auto global = makeGlobal(record.getType(module.getContext()), name,
                           Attribute(), LLVM::Linkage::Internal);
  initialize(global, [&](ImplicitLocOpBuilder &b) { return record.build(b); });
  return name;
}
