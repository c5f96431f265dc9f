//===- NLPDialect.cpp - The nlp dialect: registration and places ----------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nlp/Dialect/NLP/IR/NLPDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "nlp/Dialect/NLP/IR/StorageInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nlp;

#include "nlp/Dialect/NLP/IR/NLPDialect.cpp.inc"
#include "nlp/Dialect/NLP/IR/NLPEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nlp/Dialect/NLP/IR/NLPAttrs.cpp.inc"

#include "nlp/Dialect/NLP/IR/NLPPlanInterface.cpp.inc"

void NLPDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nlp/Dialect/NLP/IR/NLPAttrs.cpp.inc"
      >();
  registerAttentionOps();
  registerLossOps();
  registerMatmulOps();
  registerNormOps();
  registerOptimizerOps();
  registerPointwiseOps();
  registerShapeOps();
  registerStepOps();
  attachStorageModels(getContext());
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
