//===- ShapeCosts.cpp - Costs and policies of shape ops -------------------===//
//
// Part of nlp-opt. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace nlp;

#define NLP_SHAPE_COST(OpTy, FLOPS)                                            \
  int64_t OpTy::getFlops() { return FLOPS; }                                   \
  PrecisionPolicy OpTy::getPrecisionPolicy() {                                 \
    return PrecisionPolicy::FollowsInputs;                                     \
  }

NLP_SHAPE_COST(ReshapeOp, 0)
NLP_SHAPE_COST(TransposeOp, 0)
NLP_SHAPE_COST(SplitOp, 0)
NLP_SHAPE_COST(ConcatOp, 0)
NLP_SHAPE_COST(SliceOp, 0)
NLP_SHAPE_COST(PadOp, 0)
NLP_SHAPE_COST(BroadcastOp, 0)
NLP_SHAPE_COST(ReduceSumOp, getNumElements(getInput()))
NLP_SHAPE_COST(FillOp, 0)
NLP_SHAPE_COST(CastOp, getNumElements(getInput()))

// A reshape is another view of the same bytes.
int64_t ReshapeOp::getBytesRead() { return 0; }
int64_t ReshapeOp::getBytesWritten() { return 0; }

int64_t SliceOp::getBytesRead() {
  return getTensorBytes(getOperation()->getResultTypes());
}
