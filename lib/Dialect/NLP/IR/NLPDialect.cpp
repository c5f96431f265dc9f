//===- NLPDialect.cpp - The nlp dialect: registration and places ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nlp;

#include "nlp/Dialect/NLP/IR/NLPDialect.cpp.inc"
#include "nlp/Dialect/NLP/IR/NLPEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nlp/Dialect/NLP/IR/NLPAttrs.cpp.inc"

#include "nlp/Dialect/NLP/IR/NLPPlanInterface.cpp.inc"

/// Arrays of doubles, which MLIR prints with six digits, as they are.
static ParseResult parseExact(OpAsmParser &parser, DenseF64ArrayAttr &values) {
  values = llvm::dyn_cast_or_null<DenseF64ArrayAttr>(
      DenseF64ArrayAttr::parse(parser, Type()));
  return success(values != nullptr);
}
static void printExact(OpAsmPrinter &printer, Operation *,
                       DenseF64ArrayAttr values) {
  printer << '[';
  llvm::interleaveComma(values.asArrayRef(), printer, [&](double value) {
    printer.printFloat(APFloat(value));
  });
  printer << ']';
}

#define GET_OP_CLASSES
#include "nlp/Dialect/NLP/IR/NLPOps.cpp.inc"

void NLPDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nlp/Dialect/NLP/IR/NLPAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/NLPOps.cpp.inc"
      >();
}

StringRef nlp::getPlace(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef place = getPlace(part); !place.empty())
        return place;
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return getPlace(call.getCallee());
  return "";
}
