//===- ConstantTables.h - Constant data of a compiled program ---*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strings, arrays and records of nlprt.h as LLVM globals. Equal strings and
// arrays of words are one global.
//
//===----------------------------------------------------------------------===//

#ifndef NLP_LIB_CONVERSION_NLPRTTOLLVM_CONSTANTTABLES_H
#define NLP_LIB_CONVERSION_NLPRTTOLLVM_CONSTANTTABLES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

namespace nlp::rt {

/// A field of a record: a word, a real number, an address, or a record.
class Field {
public:
  static Field word(int64_t value);
  static Field real(double value);
  /// The address of a symbol; null where the name is empty.
  static Field address(llvm::StringRef symbol);
  static Field record(llvm::ArrayRef<Field> fields);

  mlir::Type getType(mlir::MLIRContext *context) const;
  /// The constant, in the initializer of a global.
  mlir::Value build(mlir::ImplicitLocOpBuilder &b) const;

private:
  enum class Kind { Word, Real, Address, Record };
  Kind kind = Kind::Word;
  int64_t bits = 0;
  std::string symbol;
  std::vector<Field> fields;
};

class ConstantTables {
public:
  explicit ConstantTables(mlir::ModuleOp module) : module(module) {}

  /// A string that ends in zero.
  Field string(llvm::StringRef text);
  /// An array of words.
  Field words(llvm::ArrayRef<int64_t> values);
  /// An array of records of one type; null where there are none.
  Field records(llvm::StringRef name, llvm::ArrayRef<Field> entries);
  /// One record under a name that the linker sees.
  void define(llvm::StringRef name, const Field &record);
  /// One record; the result is its symbol.
  std::string record(const Field &record);

private:
  mlir::LLVM::GlobalOp makeGlobal(mlir::Type type, llvm::StringRef name,
                                  mlir::Attribute value,
                                  mlir::LLVM::Linkage linkage);
  std::string fresh(llvm::StringRef stem);

  mlir::ModuleOp module;
  llvm::MapVector<mlir::Attribute, std::string> shared;
  unsigned number = 0;
};

} // namespace nlp::rt

#endif // NLP_LIB_CONVERSION_NLPRTTOLLVM_CONSTANTTABLES_H
