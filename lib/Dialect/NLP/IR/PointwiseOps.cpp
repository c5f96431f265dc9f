//===- PointwiseOps.cpp - Verifiers of pointwise ops ----*- C++ -*-===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "nlp/Dialect/NLP/IR/NLPDialect.h"

using namespace mlir;
using namespace nlp;

#define GET_OP_CLASSES
#include "nlp/Dialect/NLP/IR/PointwiseOps.cpp.inc"

void NLPDialect::registerPointwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "nlp/Dialect/NLP/IR/PointwiseOps.cpp.inc"
      >();
}

LogicalResult DropoutOp::verify() {
  double rate = getRate().convertToDouble();
  if (!(rate >= 0.0 && rate < 1.0)) // (C1)
    return emitOpError("expected a rate in [0, 1), but got ") << rate;
  if (cast<RankedTensorType>(getInput().getType()).getRank() < 1) // (C2)
    return emitOpError("expected an input of rank 1 or more");
  if (getSite().empty()) // (C3)
    return emitOpError("expected a site that is not empty");
  return success();
}
